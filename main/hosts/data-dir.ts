import { join } from 'node:path';

/** Where the product keeps its data unless told otherwise: the system's place for it. */
export function defaultDataDir(env: Readonly<Record<string, string | undefined>>, platform: string, home: string): string {
  const told = env['CURATOR_DATA'];
  if (told) return told;
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'Curator');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Curator');
  return join(env['XDG_DATA_HOME'] ?? join(home, '.local', 'share'), 'curator');
}

/** The person's language by the environment; English when it says nothing. */
export function systemLanguage(env: Readonly<Record<string, string | undefined>>): 'zh' | 'en' {
  const told = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || Intl.DateTimeFormat().resolvedOptions().locale;
  return /^zh/i.test(told) ? 'zh' : 'en';
}

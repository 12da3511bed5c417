/** Small things this window remembers: they say nothing about the work, so they stay in the browser. */
export interface Prefs {
  readonly sidebar: boolean;
  readonly panelRatio: number;
  readonly partner: string | null;
  readonly theme: 'light' | 'dark' | 'system';
  readonly language: 'zh' | 'en' | 'system';
}
export const defaultPrefs: Prefs = { sidebar: true, panelRatio: 0.48, partner: null, theme: 'system', language: 'system' };
const STORED = 'curator.prefs';

export function readPrefs(): Prefs {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? '{}');
    return typeof stored === 'object' && stored !== null ? { ...defaultPrefs, ...stored } : defaultPrefs;
  } catch {
    return defaultPrefs;
  }
}

export function writePrefs(change: Partial<Prefs>): void {
  try {
    localStorage.setItem(STORED, JSON.stringify({ ...readPrefs(), ...change }));
  } catch {
    // Storage may be switched off; the window then forgets, nothing more.
  }
}

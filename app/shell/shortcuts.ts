import type { WordKey } from '#domain/words/words.ts';

export type Shortcut = 'create' | 'sidebar' | 'panel' | 'settings' | 'composer' | 'help' | 'up' | 'down' | 'stop' | 'approve' | 'reject' | 'previous' | 'next';

interface Stroke {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly isComposing: boolean;
  readonly code: string;
  readonly target: EventTarget | null;
}

/** The window-wide shortcut of a key stroke, or null. Plain letters count only outside fields; nothing counts while an IME composes. */
export function shortcutOf(event: Stroke): Shortcut | null {
  if (event.isComposing) return null;
  const mod = event.ctrlKey || event.metaKey;
  if (mod && !event.altKey && !event.shiftKey) {
    const plain: Readonly<Record<string, Shortcut>> = { b: 'sidebar', j: 'panel', ',': 'settings', '.': 'stop' };
    return plain[event.key.toLowerCase()] ?? null;
  }
  if (event.altKey && !mod && !event.shiftKey) {
    // By place, since Alt with a letter types something else on many keyboards.
    const alt: Readonly<Record<string, Shortcut>> = { KeyN: 'create', KeyC: 'composer', ArrowUp: 'up', ArrowDown: 'down', KeyY: 'approve', KeyX: 'reject', BracketLeft: 'previous', BracketRight: 'next' };
    return alt[event.code] ?? null;
  }
  const inField = isField(event.target);
  return (event.key === '?' || event.key === '？') && !inField && !mod ? 'help' : null;
}

function isField(target: EventTarget | null): boolean {
  return target !== null && 'matches' in target && (target as Element).matches('input, textarea, [contenteditable]');
}

/** What the list under `?` shows. */
export const shortcutList: readonly { readonly what: WordKey; readonly keys: readonly string[] }[] = [
  { what: 'shortcuts.send', keys: ['Enter'] },
  { what: 'shortcuts.newline', keys: ['Shift', 'Enter'] },
  { what: 'shortcuts.stop', keys: ['Ctrl', '.'] },
  { what: 'shortcuts.composer', keys: ['Alt', 'C'] },
  { what: 'shortcuts.create', keys: ['Alt', 'N'] },
  { what: 'shortcuts.partners', keys: ['Alt', '↑ ↓'] },
  { what: 'shortcuts.approve', keys: ['Alt', 'Y'] },
  { what: 'shortcuts.reject', keys: ['Alt', 'X'] },
  { what: 'shortcuts.page', keys: ['Alt', '[ ]'] },
  { what: 'shortcuts.sidebar', keys: ['Ctrl', 'B'] },
  { what: 'shortcuts.panel', keys: ['Ctrl', 'J'] },
  { what: 'shortcuts.settings', keys: ['Ctrl', ','] },
  { what: 'shortcuts.help', keys: ['?'] },
  { what: 'shortcuts.close', keys: ['Esc'] },
];

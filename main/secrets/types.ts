import type { Result } from '#domain/result.ts';

/** Where keys live: never in a log, a diagnostic or the renderer. Electron: the system's store; else an encrypted file. */
export interface Secrets {
  readonly kind: 'system' | 'file';
  /** Null when there is none. Codes: secrets.io (cannot be read now), secrets.unreadable (sealed by another account, or its own key is gone). */
  get(name: string): Promise<Result<string | null>>;
  /** An empty value removes. What could no longer be opened is kept aside under another name, never overwritten. Codes: secrets.io. */
  set(name: string, value: string): Promise<Result<void>>;
}

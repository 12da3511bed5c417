import type { Result } from '#domain/result.ts';

/** Where keys live: never in a log, a diagnostic or the renderer. Electron: the system's store; else an encrypted file. */
export interface Secrets {
  readonly kind: 'system' | 'file';
  get(name: string): Promise<string | null>;
  /** An empty value removes. */
  set(name: string, value: string): Promise<Result<void>>;
}

import type { Result } from '#domain/result.ts';
import type { Trash } from '#main/changes/types.ts';
import type { Secrets } from '#main/secrets/types.ts';

/** What the surroundings can do for the product (design §7). Electron and the local web host each implement it; tests have one of their own. */
export interface Host {
  readonly kind: 'electron' | 'web' | 'cli';
  /** The system's own folder dialog; null when there is none (the page shows its own browser then). */
  readonly chooseFolder: (() => Promise<string | null>) | null;
  /** Opens a folder, or shows a file in its folder, in the system's file manager. */
  reveal(path: string): Promise<Result<void>>;
  /** Comes to the front; a web host gives a fresh launch address instead of a window. */
  show(): string | null;
  readonly trash: Trash;
  readonly secrets: Secrets;
}

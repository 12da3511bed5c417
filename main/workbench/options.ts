import type { Host } from '#main/hosts/host.ts';
import type { EventLog } from '#main/log/types.ts';
import type { History } from '#main/partners/history.ts';
import type { Clock } from '#main/ports/clock.ts';
import type { FsPort } from '#main/ports/fs.ts';
import type { Random } from '#main/ports/random.ts';
import type { DiffBytes } from './diff.ts';

/** What a workbench is opened with: its data folder and every port to the world. */
export interface WorkbenchOptions {
  readonly dataDir: string;
  readonly host: Host;
  readonly fs: FsPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly platform: 'linux' | 'darwin' | 'win32';
  readonly home: string;
  /** Tells this installation from others: another one starts fresh origins. */
  readonly machine: string;
  readonly version: string;
  /** The system's language. */
  readonly locale: 'zh' | 'en';
  /** The shipped sample folder. */
  readonly sampleDir: string;
  readonly openHistory: (options: { readonly dir: string; readonly log: EventLog; readonly fs: FsPort }) => Promise<History>;
  /** Line diffs off the main thread. */
  readonly diff: DiffBytes;
  readonly limits?: { readonly steps: number; readonly retries: number };
}

import type { Connection } from '#main/api/client.ts';
import type { Arguments } from './arguments.ts';
import type { Exit, Output } from './output.ts';

/** What every command works with. */
export interface CommandContext {
  readonly connection: Connection;
  readonly out: Output;
  readonly args: Arguments;
  /** Aborts at the first Ctrl-C (or SIGTERM, SIGHUP). */
  readonly interrupted: AbortSignal;
}

/** One command: its use line, which its words and options are checked by before it runs, and what it does. */
export interface Command {
  readonly use: string;
  /** Ends by itself soon after `interrupted`, and must not be left in the middle. */
  readonly finishes?: boolean;
  readonly run: (context: CommandContext, words: readonly string[]) => Promise<Exit>;
}

import { ADDRESS_COMMANDS } from './addresses.ts';
import { CHANGE_COMMANDS } from './changes.ts';
import type { Command } from './context.ts';
import { DECISION_COMMANDS } from './decisions.ts';
import { grammarOf, type Grammar } from './grammar.ts';
import { HISTORY_COMMANDS } from './history.ts';
import { PARTNER_COMMANDS } from './partners.ts';
import { PROVIDER_COMMANDS } from './providers.ts';
import { SEND_COMMAND } from './send.ts';

/** A command with what its use line says. */
export interface Known {
  readonly command: Command;
  readonly grammar: Grammar;
}

/** Every command by its words, in the order of the help; docs/CLI.md has the same use lines. */
export const COMMANDS: ReadonlyMap<string, Known> = new Map(
  [...PARTNER_COMMANDS, ...ADDRESS_COMMANDS, ...PROVIDER_COMMANDS, SEND_COMMAND, ...DECISION_COMMANDS, ...CHANGE_COMMANDS, ...HISTORY_COMMANDS].map((command) => {
    const grammar = grammarOf(command.use);
    return [grammar.name, { command, grammar }];
  }),
);

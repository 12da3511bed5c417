import type { Failure } from '#domain/result.ts';
import type { Verdict } from '#main/gate/types.ts';
import type { Prepared, ToolOutcome } from '../types.ts';

/** For a model a code is not enough: what happened and what to do, in plain English. Others say their code. */
const WORDS: Readonly<Record<string, string>> = {
  'gate.outside': 'This path is outside the work addresses and may not be used here.',
  'gate.noAddress': 'No work address is open, so a relative path means nothing. Ask the person to add a folder.',
  'gate.readOnly': 'This work address is read-only.',
  'gate.system': 'System folders are never touched.',
  'gate.ownData': 'The app\'s own data is never touched.',
  'gate.sensitive': 'This file may hold secrets and is never read or changed by tools. Tell the person.',
  'gate.dangerous': 'Files of this kind start programs; tools do not create, change or open them.',
  'gate.repository': 'The inside of a version store is never changed by tools.',
  'gate.root.itself': 'A work address itself cannot be moved, renamed or trashed.',
  'gate.link.outside': 'A link on this path leads out of the work address.',
  'gate.ambiguous': 'The path exists in more than one work address. Give the absolute path.',
  'gate.name.home': '"~" is not expanded. Give the absolute path.',
  'gate.name.url': 'A path is expected, not an address.',
  'gate.name.backslash': 'Write relative paths with "/".',
  'gate.moved': 'The path means another place now than when it was approved. Nothing was done.',
  'change.stale': 'The file changed since you read it. Read it again, then decide. Nothing was changed.',
  'change.exists': 'Something with this name exists already. Nothing was overwritten.',
  'change.missing': 'There is no such file or folder.',
  'change.inUse': 'Another program holds the file. Nothing was changed; try again later.',
  'change.placeholder': 'The file is not downloaded from its cloud drive yet. Ask the person to download it first. Nothing was touched.',
  'change.readOnly': 'The file is closed to writing.',
  'change.full': 'The disk is full. Nothing was changed.',
  'change.folderNotEmpty': 'The folder is not empty.',
  'change.crossDevice': 'A folder cannot be moved to another disk.',
  'change.intoItself': 'A folder cannot be moved into itself.',
  'change.unsettled': 'The change failed half way and is checked at the next start.',
  'text.binary': 'This is not a text file.',
  'text.notUtf8': 'This is not UTF-8 text, so it cannot be changed without damage. The file was not touched.',
  'edit.none': 'No edit was given.',
  'edit.empty': 'The old text is empty.',
  'edit.notFound': 'The old text does not stand in the file exactly so. Read the file again.',
  'edit.notUnique': 'The old text stands more than once. Give more of its surroundings. Nothing was changed.',
  'edit.overlap': 'Two edits overlap. Nothing was changed.',
  'edit.same': 'The file already has this content.',
  'tool.arguments': 'The arguments do not fit the schema.',
  'tool.cancelled': 'Cancelled.',
  'tool.folder': 'This is a folder.',
  'tool.file': 'This is a file, not a folder.',
  'tool.tooLarge': 'The file is too large for this tool.',
  'tool.notImage': 'This is not a PNG, JPEG, WebP or GIF image.',
  'tool.oneFolder': 'A single file is expected, not a folder.',
};

/** A failure as the model reads it. Refusals of the gate and failures of the disk differ in `outcome`. */
export function failedOutcome(error: Failure, outcome: 'failed' | 'refused' = 'failed'): ToolOutcome {
  const said = WORDS[error.code] ?? (error.code.startsWith('gate.name') ? 'This path is not written in a way that is safe on every system.' : 'It did not work.');
  const where = Object.entries(error.params ?? {}).map(([key, value]) => `${key}: ${value}`).join(', ');
  return { outcome, text: `${said} [${error.code}${where === '' ? '' : `; ${where}`}]`, code: error.code, ...(error.params ? { params: error.params } : {}) };
}

export function refusal(verdict: Verdict & { readonly verdict: 'refuse' }): Prepared {
  return { go: 'refuse', outcome: failedOutcome(verdict, 'refused') };
}

/** Not possible as asked; nothing was touched. */
export function impossible(error: Failure): Prepared {
  return { go: 'refuse', outcome: failedOutcome(error) };
}

export const CANCELLED: ToolOutcome = { outcome: 'cancelled', text: 'Cancelled. Nothing was done.', code: 'tool.cancelled' };

import type { ChangeOp, Permission, WritePolicy } from '../events/index.ts';

/** The table of design §5 as data. One row per kind of deed, one column per who asks under which consent. */
export type Column = 'local' | 'reviewConfirm' | 'reviewDirect' | 'full';
export type Row = 'read' | 'write' | 'moveOrTrashFile' | 'moveOrTrashFolder' | 'outside' | 'openFile';
export type Say = 'do' | 'ask' | 'askStrongly' | 'refuse';

export const TABLE: Readonly<Record<Row, Readonly<Record<Column, Say>>>> = {
  read: { local: 'do', reviewConfirm: 'do', reviewDirect: 'do', full: 'do' },
  write: { local: 'ask', reviewConfirm: 'ask', reviewDirect: 'do', full: 'do' },
  moveOrTrashFile: { local: 'askStrongly', reviewConfirm: 'askStrongly', reviewDirect: 'askStrongly', full: 'do' },
  moveOrTrashFolder: { local: 'askStrongly', reviewConfirm: 'askStrongly', reviewDirect: 'askStrongly', full: 'do' },
  outside: { local: 'refuse', reviewConfirm: 'ask', reviewDirect: 'ask', full: 'do' },
  /** Handing a file to another program asks when it comes through chat (C-29). */
  openFile: { local: 'ask', reviewConfirm: 'ask', reviewDirect: 'ask', full: 'do' },
};

const STRICTNESS: Readonly<Record<Say, number>> = { do: 0, ask: 1, askStrongly: 2, refuse: 3 };

export function strictest(...says: readonly Say[]): Say {
  return says.reduce((worst, say) => (STRICTNESS[say] > STRICTNESS[worst] ? say : worst), 'do');
}

/** What is known about a call once its target is resolved on the disk. */
export interface DeedFacts {
  readonly op: 'read' | 'list' | 'search' | 'open' | ChangeOp;
  readonly caller: 'local' | 'model';
  readonly permission: Permission;
  /** Policy of the address that holds the target; null outside every address. */
  readonly policy: WritePolicy | null;
  readonly kind: 'file' | 'folder' | 'absent';
  /** The person attached or @-ed exactly this file. */
  readonly pointedAt: boolean;
  readonly system: boolean;
  /** The app's own data, or a folder that contains it. */
  readonly ownData: boolean;
  readonly sensitive: boolean;
  readonly dangerous: boolean;
  /** A program or shortcut: not read either. */
  readonly program: boolean;
  /** Inside a version store. */
  readonly repository: boolean;
  readonly configThatRuns: boolean;
  /** The target is a work address itself. */
  readonly isRoot: boolean;
  /** The file has further names elsewhere (hard links): a write shows there too. */
  readonly otherNames: boolean;
}

export type Decision =
  | { readonly say: 'do' }
  | { readonly say: 'ask' | 'askStrongly'; readonly reason: string }
  | { readonly say: 'refuse'; readonly code: string };

const READS = new Set<DeedFacts['op']>(['read', 'list', 'search', 'open']);

/**
 * The one decision about a call on a path (design §5, C-03, C-46). The last row of the table comes
 * first: no consent lifts it. Codes: gate.ownData, gate.system, gate.sensitive, gate.dangerous,
 * gate.readOnly, gate.repository, gate.root.itself, gate.outside.
 * Reasons: gate.ask.write, .move, .trash, .folder, .outside, .open, .config, .otherNames.
 */
export function decideDeed(facts: DeedFacts): Decision {
  const changes = !READS.has(facts.op);
  if (facts.ownData) return { say: 'refuse', code: 'gate.ownData' };
  if (facts.system) return { say: 'refuse', code: 'gate.system' };
  if (facts.sensitive && facts.op !== 'list') return { say: 'refuse', code: 'gate.sensitive' };
  // Reading a script as text starts nothing; changing, naming or opening one may.
  if (facts.dangerous && facts.kind !== 'folder' && facts.op !== 'mkdir' && (changes || facts.op === 'open')) return { say: 'refuse', code: 'gate.dangerous' };
  if (facts.program && facts.kind !== 'folder' && (facts.op === 'read' || facts.op === 'search')) return { say: 'refuse', code: 'gate.dangerous' };
  if (changes && facts.repository) return { say: 'refuse', code: 'gate.repository' };
  if (changes && facts.policy === 'readOnly') return { say: 'refuse', code: 'gate.readOnly' };
  if (changes && facts.isRoot) return { say: 'refuse', code: 'gate.root.itself' };

  const column = columnOf(facts);
  const rows = rowsOf(facts, changes);
  const byTable = rows.map((row) => TABLE[row][column]);
  if (column !== 'full' && changes && facts.configThatRuns) byTable.push('askStrongly');
  if (column !== 'full' && changes && facts.otherNames) byTable.push('ask');
  const say = strictest(...byTable);
  if (say === 'do') return { say };
  if (say === 'refuse') return { say, code: 'gate.outside' };
  return { say, reason: reasonOf(facts, rows) };
}

function columnOf(facts: DeedFacts): Column {
  if (facts.caller === 'local') return 'local';
  if (facts.permission === 'full') return 'full';
  return facts.policy === 'direct' ? 'reviewDirect' : 'reviewConfirm';
}

function rowsOf(facts: DeedFacts, changes: boolean): Row[] {
  const rows: Row[] = [];
  if (facts.policy === null && !(facts.pointedAt && facts.op === 'read')) rows.push('outside');
  if (facts.op === 'move' || facts.op === 'trash') rows.push(facts.kind === 'folder' ? 'moveOrTrashFolder' : 'moveOrTrashFile');
  else if (facts.op === 'open') rows.push(facts.kind === 'folder' ? 'read' : 'openFile');
  else rows.push(changes ? 'write' : 'read');
  return rows;
}

function reasonOf(facts: DeedFacts, rows: readonly Row[]): string {
  if (rows.includes('outside')) return 'gate.ask.outside';
  if (rows.includes('moveOrTrashFolder')) return 'gate.ask.folder';
  if (facts.op === 'move') return 'gate.ask.move';
  if (facts.op === 'trash') return 'gate.ask.trash';
  if (facts.op === 'open') return 'gate.ask.open';
  if (facts.configThatRuns) return 'gate.ask.config';
  if (facts.otherNames) return 'gate.ask.otherNames';
  return 'gate.ask.write';
}

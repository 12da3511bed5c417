import { describe, expect, it } from 'vitest';
import { decideDeed, TABLE, type Column, type DeedFacts, type Say } from '#domain/policy/table.ts';

const base: DeedFacts = {
  op: 'read', caller: 'model', permission: 'review', policy: 'confirm', kind: 'file', pointedAt: false, system: false, ownData: false,
  sensitive: false, dangerous: false, program: false, repository: false, configThatRuns: false, isRoot: false, otherNames: false,
};
const columns: Readonly<Record<Column, Partial<DeedFacts>>> = {
  local: { caller: 'local', policy: 'direct' },
  reviewConfirm: { policy: 'confirm' },
  reviewDirect: { policy: 'direct' },
  full: { permission: 'full' },
};
// The table of design §5, copied by hand: the code's own data must say the same.
const rows: readonly [string, readonly DeedFacts['op'][], Partial<DeedFacts>, readonly [Say, Say, Say, Say]][] = [
  ['reads, lists, searches in an address', ['read', 'list', 'search'], {}, ['do', 'do', 'do', 'do']],
  ['reads a file the person pointed at', ['read'], { policy: null, pointedAt: true }, ['do', 'do', 'do', 'do']],
  ['creates, writes, edits, copies, renames, makes folders', ['create', 'write', 'edit', 'replaceAll', 'copy', 'rename', 'mkdir', 'revert'], {}, ['ask', 'ask', 'do', 'do']],
  ['moves or trashes a file', ['move', 'trash'], {}, ['askStrongly', 'askStrongly', 'askStrongly', 'do']],
  ['moves or trashes a folder', ['move', 'trash'], { kind: 'folder' }, ['askStrongly', 'askStrongly', 'askStrongly', 'do']],
  ['reads or writes outside every address', ['read', 'create', 'write'], { policy: null }, ['refuse', 'ask', 'ask', 'do']],
];

describe('[WB-BLOCKER-001-B3] the table of who may do what', () => {
  for (const [title, ops, facts, says] of rows)
    for (const [i, column] of (['local', 'reviewConfirm', 'reviewDirect', 'full'] as const).entries())
      for (const op of ops)
        it(`${title}: ${op} as ${column} is ${says[i]}`, () => {
          expect(decideDeed({ ...base, ...columns[column], ...facts, op }).say).toBe(says[i]);
        });

  const never: readonly [string, Partial<DeedFacts>, string][] = [
    ['a change in a read-only address', { op: 'write', policy: 'readOnly' }, 'gate.readOnly'],
    ['a system folder', { system: true }, 'gate.system'],
    ['the own data', { ownData: true }, 'gate.ownData'],
    ['a sensitive file', { sensitive: true }, 'gate.sensitive'],
    ['a dangerous suffix', { op: 'create', dangerous: true }, 'gate.dangerous'],
    ['reading a program', { program: true }, 'gate.dangerous'],
    ['a version store', { op: 'write', repository: true }, 'gate.repository'],
    ['the address itself', { op: 'trash', kind: 'folder', isRoot: true }, 'gate.root.itself'],
  ];
  for (const [title, facts, code] of never)
    for (const column of ['local', 'reviewConfirm', 'reviewDirect', 'full'] as const)
      it(`[WA-PRINCIPLE-07] refuses ${title} as ${column}, whatever was consented`, () => {
        expect(decideDeed({ ...base, ...columns[column], ...facts })).toEqual({ say: 'refuse', code });
      });

  it('still reads in a read-only address', () => {
    expect(decideDeed({ ...base, policy: 'readOnly' }).say).toBe('do');
  });
  it('asks strongly before settings that run things, even where writing is direct', () => {
    expect(decideDeed({ ...base, ...columns.reviewDirect, op: 'write', configThatRuns: true })).toEqual({ say: 'askStrongly', reason: 'gate.ask.config' });
  });
  it('[C-29] opens a folder at once and asks before a file', () => {
    expect(decideDeed({ ...base, op: 'open', kind: 'folder' }).say).toBe('do');
    expect(decideDeed({ ...base, op: 'open' }).say).toBe('ask');
  });
  it('asks before a write that shows under another name too', () => {
    expect(decideDeed({ ...base, ...columns.reviewDirect, op: 'write', otherNames: true })).toEqual({ say: 'ask', reason: 'gate.ask.otherNames' });
  });
  it('has no cell that is missing', () => {
    for (const row of Object.values(TABLE)) expect(Object.keys(row).sort()).toEqual(['full', 'local', 'reviewConfirm', 'reviewDirect']);
  });
});

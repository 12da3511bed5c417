import type { FileState } from '#domain/events/index.ts';
import type { AppliedChange, ChangeRequest } from '#main/changes/types.ts';
import { DATA } from '#test/support/fs/workloads.ts';
import { copyTree } from '#test/support/fs/crash.ts';
import { memoryFs, type Node } from '#test/support/fs/memory-fs.ts';
import { DOCS, openStage, SHARE, WORK, type Stage } from './stage.ts';
import { request } from './stores.ts';
import { treeOf, type Tree } from './tree.ts';

const NEW = 'after, and long enough to be written in pieces\n'.repeat(8);
const A = `${WORK}/a.txt`;
const TWIN = `${WORK}/twin.txt`;
const FRESH = `${WORK}/new.txt`;
const FOLDER = `${WORK}/folder`;
const MOVED = `${DOCS}/moved.txt`;
const bytes = (text: string) => new TextEncoder().encode(text);

export interface ChangeScenario {
  readonly name: string;
  /** Undisturbed, what comes before; the request that is then put to the test. */
  readonly make: (stage: Stage) => Promise<ChangeRequest>;
  /** Written into the file itself (it has twins): half of it may stand there, and comes back from its blob. */
  readonly inPlace?: boolean;
  /** What leaves its place lies in the system's trash afterwards. */
  readonly trashes?: boolean;
  /** What leaves its place stands under another name; nothing is kept of it. */
  readonly moves?: boolean;
  /** A crash between the name here and the one in the trash leaves both: no bytes are lost, and nothing says which other name to take away. */
  readonly untrashes?: boolean;
}

const now = async (stage: Stage, path: string): Promise<FileState | null> => {
  const state = await stage.partner.changes.inspect(path);
  if (!state.ok) throw new Error(state.error.code);
  return state.value;
};
const done = async (stage: Stage, req: ChangeRequest): Promise<AppliedChange> => {
  const result = await stage.partner.changes.apply(req);
  if (!result.ok) throw new Error(result.error.code);
  return result.value;
};

const write = async (s: Stage) => request('write', A, { content: bytes(NEW), expected: await now(s, A) });
const create = async () => request('create', FRESH, { content: bytes(NEW) });
const mkdir = async () => request('mkdir', FOLDER);
const inPlace = async (s: Stage) => request('write', TWIN, { content: bytes(NEW), expected: await now(s, TWIN) });
const move = async (s: Stage) => request('move', A, { to: MOVED, expected: await now(s, A) });
const moveFolder = async (s: Stage) => request('move', DOCS, { to: FOLDER, expected: await now(s, DOCS) });
const rename = async (s: Stage) => request('rename', A, { to: FRESH, expected: await now(s, A) });
const copy = async (s: Stage) => request('copy', A, { to: MOVED, expected: await now(s, A) });
const trash = async (s: Stage) => request('trash', A, { expected: await now(s, A) });

/** Takes back what a request did; `made` is where it left its file. */
const revertOf = (before: (s: Stage) => Promise<ChangeRequest>) => async (s: Stage): Promise<ChangeRequest> => {
  const { change, trashed } = await done(s, await before(s));
  if (change.op === 'move' || change.op === 'rename') return request('revert', change.to!, { to: change.path, expected: change.after });
  if (change.op === 'copy') return request('revert', change.to!, { restore: null, expected: change.after });
  if (trashed) return request('revert', change.path, { untrash: trashed, restore: change.before });
  return request('revert', change.path, { restore: change.before, expected: change.after });
};
const forced = async (s: Stage): Promise<ChangeRequest> => {
  const revert = await revertOf(write)(s);
  const file = await s.fs.open(A, 'w');
  await file.write(bytes('a later save by the person\n'), 0);
  await file.close();
  return { ...revert, force: true };
};
const undo = async (s: Stage): Promise<ChangeRequest> => {
  const { change } = await done(s, await revertOf(write)(s));
  return request('revert', change.path, { restore: change.before, expected: change.after });
};

export const SCENARIOS: readonly ChangeScenario[] = [
  { name: 'write', make: write },
  { name: 'create', make: create },
  { name: 'mkdir', make: mkdir },
  { name: 'write in place', make: inPlace, inPlace: true },
  { name: 'move', moves: true, make: move },
  { name: 'move of a folder', moves: true, make: moveFolder },
  { name: 'rename', moves: true, make: rename },
  { name: 'copy', make: copy },
  { name: 'trash', make: trash, trashes: true },
  { name: 'revert of a write', make: revertOf(write) },
  { name: 'revert of a create', make: revertOf(create), trashes: true },
  { name: 'revert of a mkdir', make: revertOf(mkdir) },
  { name: 'revert of a write in place', make: revertOf(inPlace), inPlace: true },
  { name: 'revert of a move', moves: true, make: revertOf(move) },
  { name: 'revert of a folder\'s move', moves: true, make: revertOf(moveFolder) },
  { name: 'revert of a rename', moves: true, make: revertOf(rename) },
  { name: 'revert of a copy', make: revertOf(copy), trashes: true },
  { name: 'revert of a trash', untrashes: true, make: revertOf(trash) },
  { name: 'forced revert', make: forced },
  { name: 'undo of a revert', make: undo },
];

/** A scenario as it goes undisturbed. */
export interface Gold {
  readonly scenario: ChangeScenario;
  /** The disk before, all of it durable. */
  readonly disk: Node;
  readonly request: ChangeRequest;
  /** Changes that were planned before it. */
  readonly earlier: ReadonlySet<string>;
  /** The person's folder before and after. */
  readonly before: Tree;
  readonly after: Tree;
}

export async function goldOf(scenario: ChangeScenario): Promise<Gold> {
  const fs = memoryFs();
  for (const dir of [DATA, WORK, DOCS, SHARE]) await fs.mkdir(dir, { recursive: true });
  for (const path of [A, TWIN, `${DOCS}/beside.txt`]) {
    const file = await fs.open(path, 'wx', 0o640);
    // No two files alike: each set of bytes can be told from the others.
    await file.write(bytes(`plain text in ${path}\n`), 0);
  }
  await fs.link(TWIN, `${DOCS}/twin.txt`);
  const first = await openStage(fs);
  const req = await scenario.make(first);
  const earlier = new Set<string>();
  for await (const event of first.partner.log.readMerged()) if (event.type === 'FileChangePlanned') earlier.add((event.data as { change: string }).change);
  await first.partner.close();
  const disk = copyTree(fs.root);
  const calm = memoryFs(copyTree(disk));
  const stage = await openStage(calm);
  await done(stage, req);
  await stage.partner.close();
  return { scenario, disk, request: req, earlier, before: treeOf(disk, WORK), after: treeOf(calm.root, WORK) };
}

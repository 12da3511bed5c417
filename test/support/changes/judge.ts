import { createHash } from 'node:crypto';
import type { Hash } from '#domain/ids.ts';
import { OWN_LEFTOVER } from '#domain/policy/names.ts';
import { verifyLog } from '#main/log/verify.ts';
import type { MemoryFs } from '#test/support/fs/memory-fs.ts';
import { DATA, DIR } from '#test/support/fs/workloads.ts';
import type { Gold } from './scenarios.ts';
import { openStage, SHARE, WORK, type Stage } from './stage.ts';
import { request } from './stores.ts';
import { difference, sameTree, treeOf, type Tree } from './tree.ts';

/** What the caller was told before the disk is judged. */
export type Told = 'nothing' | 'done' | 'unrecorded' | 'refused' | 'unsettled';

/** What an answer's code means. */
export function toldBy(code: string): Told {
  return ({ ok: 'done', 'change.unrecorded': 'unrecorded', 'change.unsettled': 'unsettled' } as const)[code] ?? 'refused';
}

/**
 * What must hold of a disk on which one change was interrupted (I3, I4, I5, I6, I12): every file has its
 * bytes from before or after, and those from before are in the store once they are not in the file; the
 * next start brings the folder to before or after, says in the log which, agrees with what was told, and
 * leaves nothing of ours; then the same request finishes. Returns what is wrong, or null.
 */
export async function judgeChange(fs: MemoryFs, gold: Gold, told: Told): Promise<string | null> {
  const { scenario } = gold;
  const found = treeOf(fs.root, WORK);
  const mixed = mixedFile(found, gold);
  if (mixed !== null && !scenario.inPlace) return `${mixed} is neither old nor new`;
  const stage = await openStage(fs);
  const bad = stage.partner.log.findings.find((f) => f.kind !== 'tornTail');
  if (bad) return `finding ${JSON.stringify(bad)}`;
  if (stage.partner.log.mode !== 'open') return 'the log is read-only';
  const lost = await lostBytes(fs, stage, found, gold);
  if (lost !== null) return lost;
  const tree = scenario.untrashes ? withoutLinks(treeOf(fs.root, WORK), gold.after) : treeOf(fs.root, WORK);
  const where = sameTree(tree, gold.after) ? 'after' : sameTree(tree, gold.before) ? 'before' : 'neither';
  const outcome = await outcomeOf(stage, gold);
  const half = scenario.inPlace === true && mixed !== null;
  if (where === 'neither' && !half) return `the folder is neither before nor after: ${difference(tree, gold.before)}; ${difference(tree, gold.after)}`;
  if (outcome === 'open') return 'the intent was not settled';
  const says = { none: 'before', failed: 'before', notApplied: 'before', changed: 'after', applied: 'after', unknown: 'neither' }[outcome];
  // `done` also says that the log holds it: the next start had nothing to settle.
  if (says !== where) return `the log says ${outcome}, the disk is ${where}`;
  if (told === 'done' && outcome !== 'changed') return `acknowledged, but the log says ${outcome}`;
  if (told === 'unrecorded' && where !== 'after') return `said to be on the disk, which is ${where}`;
  if (told === 'refused' && where !== 'before') return `refused, but the disk is ${where}`;
  if ((await fs.readdir(`${DATA}/blobs/tmp`)).length > 0) return 'a temp of the blob store was left';
  const verified = await verifyLog({ fs, dir: DIR, blobs: stage.blobs }, 'full');
  if (!verified.ok || verified.value.problems.length > 0) return JSON.stringify(verified.ok ? verified.value.problems[0] : verified.error);
  return goesOn(fs, stage, gold, where);
}

/** Life goes on: what was not done is done now, and what is half written comes back from its blob. */
async function goesOn(fs: MemoryFs, stage: Stage, gold: Gold, where: 'before' | 'after' | 'neither'): Promise<string | null> {
  if (where === 'neither') {
    const { path } = gold.request;
    const [half, before] = [await stage.partner.changes.inspect(path), gold.before.get(path)!];
    const restore = { kind: 'file' as const, hash: hashOf(before.bytes), size: before.bytes.length, mode: before.mode, blob: true };
    const back = half.ok ? await stage.partner.changes.apply(request('revert', path, { restore, expected: half.value })) : half;
    if (!back.ok) return `half written and not brought back: ${back.error.code}`;
    const wrong = difference(treeOf(fs.root, WORK), gold.before);
    if (wrong !== null) return `brought back otherwise: ${wrong}`;
  }
  if (where !== 'after') {
    const again = await stage.partner.changes.apply(gold.request);
    if (!again.ok) return `the same request again: ${again.error.code} ${again.error.detail ?? ''}`;
    const wrong = difference(treeOf(fs.root, WORK), gold.after);
    if (wrong !== null) return `the same request again left ${wrong}`;
  }
  await stage.partner.close();
  return null;
}

/** With the numbers of hard links that it should have. */
function withoutLinks(tree: Tree, like: Tree): Tree {
  return new Map([...tree].map(([path, leaf]) => [path, { ...leaf, nlink: like.get(path)?.nlink ?? leaf.nlink }]));
}

/** The first file of the person's that has bytes of neither side, or that neither side knows. */
function mixedFile(found: Tree, { before, after }: Gold): string | null {
  for (const [path, leaf] of found) {
    if (OWN_LEFTOVER.test(path.slice(path.lastIndexOf('/') + 1))) continue;
    if (![before, after].some((side) => side.get(path)?.kind === leaf.kind && side.get(path)?.bytes === leaf.bytes)) return path;
  }
  return null;
}

/** Bytes of the person's that stand nowhere in the folder any more must be in the store, and where they were trashed also there. */
async function lostBytes(fs: MemoryFs, stage: Stage, found: Tree, { before, scenario }: Gold): Promise<string | null> {
  const standing = new Set([...found.values()].map((leaf) => leaf.bytes));
  const trash = treeOf(fs.root, SHARE);
  for (const path of trash.keys()) {
    const info = path.replace('/files/', '/info/') + '.trashinfo';
    if (!scenario.untrashes && path !== info && path.includes('/Trash/files/') && !trash.get(info)?.bytes.includes('Path=/w/')) return `${path} does not say where it came from`;
  }
  for (const [path, leaf] of before) {
    if (leaf.kind !== 'file' || found.get(path)?.bytes === leaf.bytes) continue;
    if (!scenario.moves && !(await stage.blobs.get(hashOf(leaf.bytes))).ok) return `${path} changed before its bytes were kept`;
    if (scenario.trashes) for (const trashed of trash.values()) standing.add(trashed.bytes);
    if ((scenario.trashes || scenario.moves) && !standing.has(leaf.bytes)) return `${path} is gone from its place and lies nowhere else`;
  }
  return null;
}

type Outcome = 'none' | 'open' | 'failed' | 'changed' | 'applied' | 'notApplied' | 'unknown';

/** What the log says of the last planned change that the request can have made. */
async function outcomeOf(stage: Stage, gold: Gold): Promise<Outcome> {
  let outcome: Outcome = 'none';
  let change: string | null = null;
  for await (const event of stage.partner.log.readMerged()) {
    const data = event.data as { change?: string; outcome?: Outcome } | null;
    if (event.type === 'FileChangePlanned' && !gold.earlier.has(data!.change!)) [outcome, change] = ['open', data!.change!];
    if (change === null || data?.change !== change) continue;
    if (event.type === 'FileChanged' && outcome === 'open') outcome = 'changed';
    if (event.type === 'FileChangeFailed') outcome = 'failed';
    if (event.type === 'FileChangeSettled') outcome = data.outcome!;
  }
  return outcome;
}

function hashOf(latin1: string): Hash {
  return createHash('sha256').update(Buffer.from(latin1, 'latin1')).digest('hex') as Hash;
}

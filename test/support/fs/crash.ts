import { createHash } from 'node:crypto';
import { memoryFs, newNode, sized, written, type DiskOp, type MemoryFs, type Node } from './memory-fs.ts';

/** How much of what was never synced reached the disk. */
export const DATA_MODES = ['none', 'half', 'zero', 'all'] as const;
type DataMode = (typeof DATA_MODES)[number];

export interface CrashState {
  readonly fs: MemoryFs;
  /** What was acknowledged before the power went. */
  readonly acked: readonly string[];
  readonly label: string;
}

/** Unsynced names beyond which not every set is tried, only none, all, each alone and all but each. */
const MAX_NAMES = 5;

/**
 * Every state that a power loss may leave: after every recorded call, unsynced data dropped, half there,
 * zeroed or whole, times the sets of unsynced names that made it. Equal disks come once per set of
 * acknowledgements.
 */
export function* crashStates(trace: readonly DiskOp[], options: { readonly base?: Node; readonly from?: number; readonly to?: number } = {}): Generator<CrashState> {
  const seen = new Set<string>();
  for (let k = options.from ?? 0; k <= Math.min(options.to ?? Infinity, trace.length); k++) {
    const done = trace.slice(0, k);
    const acked = done.flatMap((o) => (o.op === 'ack' ? [o.what] : []));
    const unsure = unsyncedNames(done);
    for (const kept of setsOf(unsure)) {
      for (const mode of DATA_MODES) {
        const root = build(done, new Set(unsure.filter((i) => !kept.has(i))), mode, options.base);
        const key = `${acked.length}:${digest(root)}`;
        if (seen.has(key)) continue;
        seen.add(key);
        yield { fs: memoryFs(root), acked, label: `after call ${k} (${k > 0 ? nameOf(trace[k - 1]!) : 'start'}), data ${mode}, names ${[...kept].join('+') || 'none'} of ${unsure.length}` };
      }
    }
  }
}

/** Positions of name changes that no flush of their folder covers yet. */
function unsyncedNames(done: readonly DiskOp[]): number[] {
  let open: { i: number; dirs: Set<number> }[] = [];
  for (const [i, o] of done.entries()) {
    if (o.op === 'name' || o.op === 'unname') open.push({ i, dirs: new Set([o.dir]) });
    if (o.op === 'rename') open.push({ i, dirs: new Set([o.from, o.to]) });
    if (o.op === 'syncDir') open = open.filter(({ dirs }) => !dirs.has(o.dir));
  }
  return open.map(({ i }) => i);
}

function* setsOf(all: readonly number[]): Generator<ReadonlySet<number>> {
  if (all.length <= MAX_NAMES) {
    for (let mask = 0; mask < 1 << all.length; mask++) yield new Set(all.filter((_, i) => (mask >> i) & 1));
    return;
  }
  yield new Set();
  yield new Set(all);
  for (const one of all) {
    yield new Set([one]);
    yield new Set(all.filter((x) => x !== one));
  }
}

function build(done: readonly DiskOp[], dropped: ReadonlySet<number>, mode: DataMode, base: Node = newNode('folder', 1)): Node {
  const nodes = new Map<number, Node>();
  copyTree(base, nodes);
  const node = (ino: number, kind: Node['kind'] = 'file', made?: number): Node => {
    const known = nodes.get(ino) ?? newNode(kind, ino, made);
    nodes.set(ino, known);
    return known;
  };
  for (const o of done) if (o.op === 'name') node(o.node, o.kind, o.mode);
  for (const [i, o] of done.entries()) {
    if (dropped.has(i)) continue;
    if (o.op === 'name') node(o.dir).names.set(o.name, node(o.node));
    if (o.op === 'unname') node(o.dir).names.delete(o.name);
    if (o.op === 'rename') {
      node(o.from).names.delete(o.old);
      node(o.to).names.set(o.name, node(o.node));
    }
  }
  for (const n of nodes.values()) {
    n.mode = modeOf(n.ino, done, mode, n.mode);
    if (n.kind === 'file') n.data = contentOf(n.ino, done, mode, n.data);
    n.nlink = 0;
  }
  for (const n of nodes.values()) for (const child of n.names.values()) child.nlink++;
  return nodes.get(1)!;
}

/** Permissions are data of the file itself: a flush of it makes them durable. */
function modeOf(ino: number, done: readonly DiskOp[], mode: DataMode, base: number): number {
  let durable = base;
  let now = base;
  for (const o of done) {
    if (!('node' in o) || o.node !== ino) continue;
    if (o.op === 'chmod') now = o.mode;
    if (o.op === 'sync') durable = now;
  }
  return mode === 'none' ? durable : now;
}

/** Everything under a folder as durable. */
export function copyTree(node: Node, nodes = new Map<number, Node>()): Node {
  const known = nodes.get(node.ino);
  if (known) return known;
  const copy = { ...newNode(node.kind, node.ino), mode: node.mode, nlink: node.nlink, data: node.data };
  nodes.set(node.ino, copy);
  for (const [name, child] of node.names) copy.names.set(name, copyTree(child, nodes));
  return copy;
}

function contentOf(ino: number, done: readonly DiskOp[], mode: DataMode, base: Buffer): Buffer {
  let durable: Buffer = base;
  let pending: Extract<DiskOp, { op: 'write' | 'truncate' }>[] = [];
  const apply = (data: Buffer, o: (typeof pending)[number]) => (o.op === 'truncate' ? sized(data, o.length) : written(data, o.bytes, o.at));
  for (const o of done) {
    if (!('node' in o) || o.node !== ino) continue;
    if (o.op === 'write' || o.op === 'truncate') pending.push(o);
    if (o.op === 'lost') pending = [];
    if (o.op === 'sync') {
      for (const p of pending) durable = apply(durable, p);
      pending = [];
    }
  }
  if (mode === 'none') return durable;
  let data = durable;
  for (const p of pending) {
    if (p.op === 'truncate' || mode === 'all') data = apply(data, p);
    else if (mode === 'half') data = written(data, p.bytes.subarray(0, p.bytes.length >> 1), p.at);
    // The size reached the disk and the bytes did not; bytes that were there before stay.
    else data = sized(data, Math.max(data.length, p.at + p.bytes.length));
  }
  return data;
}

function digest(root: Node): string {
  const hasher = createHash('sha1');
  const seen = new Map<Node, number>();
  const walk = (node: Node, path: string) => {
    for (const [name, child] of [...node.names].sort(([a], [b]) => (a < b ? -1 : 1))) {
      // Two names of one file are another disk than two equal files.
      if (!seen.has(child)) seen.set(child, seen.size);
      hasher.update(`${path}/${name}\0${seen.get(child)} ${child.mode} ${child.data.length}\0`).update(child.data);
      walk(child, `${path}/${name}`);
    }
  };
  walk(root, '');
  return hasher.digest('base64');
}

function nameOf(o: DiskOp): string {
  return 'name' in o ? `${o.op} ${o.name}` : o.op === 'ack' ? `ack ${o.what}` : o.op;
}

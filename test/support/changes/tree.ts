import { OWN_LEFTOVER } from '#domain/policy/names.ts';
import type { Node } from '#test/support/fs/memory-fs.ts';

/** What stands at a name: kind, permissions, names of the same file, bytes. */
export interface Leaf {
  readonly kind: Node['kind'];
  readonly mode: number;
  readonly nlink: number;
  readonly bytes: string;
}

export type Tree = ReadonlyMap<string, Leaf>;

/** Everything below a folder of a disk in memory. */
export function treeOf(root: Node, top: string): Tree {
  const out = new Map<string, Leaf>();
  const walk = (node: Node, path: string) => {
    for (const [name, child] of node.names) {
      const at = `${path}/${name}`;
      out.set(at, { kind: child.kind, mode: child.mode, nlink: child.kind === 'file' ? child.nlink : 1, bytes: child.data.toString('latin1') });
      walk(child, at);
    }
  };
  let node: Node | undefined = root;
  for (const part of top.split('/').filter(Boolean)) node = node?.names.get(part);
  if (node) walk(node, top);
  return out;
}

/** The same names with the same kinds, permissions, bytes and numbers of hard links. */
export function sameTree(a: Tree, b: Tree): boolean {
  return difference(a, b) === null;
}

/** The person's own names with their bytes: without what a change has beside them while it works. */
export function theirsIn(tree: Tree): Readonly<Record<string, string>> {
  return Object.fromEntries([...tree].filter(([path]) => !OWN_LEFTOVER.test(path.slice(path.lastIndexOf('/') + 1))).map(([path, leaf]) => [path, `${leaf.kind} ${leaf.bytes}`]).sort());
}

/** The first name that differs, in words; null when none does. */
export function difference(a: Tree, b: Tree): string | null {
  for (const path of new Set([...a.keys(), ...b.keys()])) {
    const [one, other] = [a.get(path), b.get(path)];
    if (JSON.stringify(one) !== JSON.stringify(other)) return `${path}: ${short(one)} instead of ${short(other)}`;
  }
  return null;
}

function short(leaf: Leaf | undefined): string {
  return leaf ? `${leaf.kind} ${leaf.mode.toString(8)} ×${leaf.nlink} "${leaf.bytes.slice(0, 24)}" (${leaf.bytes.length})` : 'nothing';
}

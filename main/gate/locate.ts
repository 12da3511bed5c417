import { formatPath, isAbsolutePath, isWithin, joinPath, normalisePath, relativeTo, splitPath, type Flavour } from '#domain/policy/flavour.ts';
import { fail, ok, type Failure, type Result } from '#domain/result.ts';
import { findName } from '#domain/text/file-names.ts';
import { errnoOf, type FileStat, type FsPort } from '#main/ports/fs.ts';
import type { GateAddress } from './types.ts';

/** What a written path means on the disk right now. */
export interface Located {
  /** As written, made absolute, `..` taken back by text. */
  readonly written: string;
  /** Real path: links resolved up to the deepest part that exists. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'absent';
  readonly address: GateAddress | null;
  /** Real root of that address. */
  readonly root: string | null;
  readonly shownPath: string;
  readonly links: number;
}

/** An address with its root as it is on the disk now; an unplugged one is left out. */
export interface RealAddress {
  readonly address: GateAddress;
  readonly root: string;
}

/** The addresses with their roots resolved on the disk; one that is gone is left out. */
export async function realAddresses(fs: FsPort, addresses: readonly GateAddress[]): Promise<readonly RealAddress[]> {
  const real: RealAddress[] = [];
  for (const address of addresses) {
    try {
      real.push({ address, root: await fs.realpath(address.root) });
    } catch {
      // Gone or unreadable: nothing is inside it, so nothing in it is permitted.
    }
  }
  return real;
}

/**
 * Makes a checked path absolute. A relative path belongs to the address whose name it begins with, else
 * to the only address in which it exists, else to the first. Codes: gate.noAddress, gate.ambiguous.
 */
export async function absoluteOf(fs: FsPort, text: string, addresses: readonly RealAddress[], flavour: Flavour): Promise<Result<string>> {
  if (isAbsolutePath(text, flavour)) return ok(normalisePath(text, flavour));
  const first = addresses[0];
  if (first === undefined) return fail('gate.noAddress');
  if (addresses.length === 1) return ok(joinPath(first.root, text, flavour));
  const candidates = addresses.map(({ root }) => joinPath(root, text, flavour));
  const there: string[] = [];
  for (const [i, path] of candidates.entries()) if (isWithin(path, addresses[i]!.root, flavour, 'exact') && (await exists(fs, path))) there.push(path);
  if (there.length === 1) return ok(there[0]!);
  if (there.length > 1) return fail('gate.ambiguous', { path: text, count: there.length });
  const [head, ...rest] = text.split('/').filter((part) => part !== '' && part !== '.');
  const named = addresses.filter(({ address }) => address.name === head);
  if (named.length === 1) return ok(joinPath(named[0]!.root, rest.join('/'), flavour));
  return ok(candidates[0]!);
}

/**
 * Resolves on the disk. With `entry` the last part is taken as the name in its folder and not followed
 * (trash, move, rename act on a link itself). Where a name does not exist as written, the only one with
 * the same spelling is taken (case 23).
 * Codes: gate.link.outside, .dangling, .loop, .entry; gate.notRegular, gate.notFolder, gate.unreadable,
 * gate.name.long, gate.spelling.
 */
export async function locate(fs: FsPort, written: string, addresses: readonly RealAddress[], flavour: Flavour, entry: boolean): Promise<Result<Located>> {
  const asWritten = holder(written, addresses, flavour, 'loose');
  let at = written;
  for (;;) {
    const found = await resolveOnce(fs, at, flavour, entry);
    if (!found.ok) return found;
    const { real, rest, stat } = found.value;
    const path = rest.length === 0 ? real : joinPath(real, rest.join('/'), flavour);
    const home = holder(path, addresses, flavour, 'exact');
    if (home === null && asWritten !== null) return fail('gate.link.outside', { path: written, real: path });
    if (rest.length > 0 && home !== null && isWithin(real, home.root, flavour, 'exact')) {
      const other = await otherSpelling(fs, real, rest[0]!);
      if (!other.ok) return other;
      if (other.value !== null) {
        at = joinPath(real, [other.value, ...rest.slice(1)].join('/'), flavour);
        continue;
      }
    }
    if (stat !== null && stat.kind === 'other') return fail('gate.notRegular', { path: written });
    return ok({
      written, path,
      kind: stat === null ? 'absent' : stat.kind === 'folder' ? 'folder' : 'file',
      address: home?.address ?? null,
      root: home?.root ?? null,
      shownPath: home === null ? path : relativeTo(path, home.root, flavour) || '.',
      links: stat?.kind === 'file' ? stat.nlink : 1,
    });
  }
}

interface Step {
  readonly real: string;
  readonly rest: readonly string[];
  readonly stat: FileStat | null;
}

/** Real path of the deepest part that exists, and the names below it that do not. */
async function resolveOnce(fs: FsPort, path: string, flavour: Flavour, entry: boolean): Promise<Result<Step>> {
  const { root, parts } = splitPath(path, flavour);
  for (let depth = entry && parts.length > 0 ? parts.length - 1 : parts.length; ; depth--) {
    const known = formatPath({ root, parts: parts.slice(0, depth) }, flavour);
    try {
      const real = await fs.realpath(known);
      const rest = parts.slice(depth);
      if (rest.length === 0) return ok({ real, rest, stat: await fs.stat(real) });
      const folder = await fs.stat(real);
      if (folder.kind !== 'folder') return fail('gate.notFolder', { path: known });
      if (!entry || rest.length > 1) return ok({ real, rest, stat: null });
      const stat = await lstatOrNull(fs, joinPath(real, rest[0]!, flavour));
      return stat === null ? ok({ real, rest, stat }) : ok({ real: joinPath(real, rest[0]!, flavour), rest: [], stat });
    } catch (cause) {
      const code = errnoOf(cause);
      if (depth === 0 || (code !== 'ENOENT' && code !== 'ENOTDIR')) return fail(...refusal(code, known));
      // It "does not exist", yet the name is there: a link to nowhere. Creating through it would land elsewhere.
      const stat = await lstatOrNull(fs, known).catch(() => null);
      if (stat?.kind === 'link') return fail('gate.link.dangling', { path: known, real: await fs.readlink(known).catch(() => '') });
    }
  }
}

/** The address that holds a path; of nested ones the innermost. */
export function holder(path: string, addresses: readonly RealAddress[], flavour: Flavour, how: 'exact' | 'loose'): RealAddress | null {
  let best: RealAddress | null = null;
  for (const one of addresses) {
    const inside = isWithin(path, one.root, flavour, how) || (how === 'loose' && isAbsolutePath(one.address.root, flavour) && isWithin(path, one.address.root, flavour, how));
    if (inside && (best === null || splitPath(one.root, flavour).parts.length > splitPath(best.root, flavour).parts.length)) best = one;
  }
  return best;
}

/** The one other name in the folder that reads the same, or null. */
async function otherSpelling(fs: FsPort, folder: string, name: string): Promise<Result<string | null>> {
  if (/^[\x20-\x7e]*$/.test(name)) return ok(null);
  try {
    const found = findName(name, (await fs.readdir(folder)).map((one) => one.name));
    if (found.found === 'several') return fail('gate.spelling', { name, count: found.names.length });
    return ok(found.found === 'one' && found.name !== name ? found.name : null);
  } catch (cause) {
    return fail(...refusal(errnoOf(cause), folder));
  }
}

async function lstatOrNull(fs: FsPort, path: string): Promise<FileStat | null> {
  try {
    return await fs.lstat(path);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT' || errnoOf(cause) === 'ENOTDIR') return null;
    throw cause;
  }
}

async function exists(fs: FsPort, path: string): Promise<boolean> {
  return (await lstatOrNull(fs, path).catch(() => null)) !== null;
}

function refusal(errno: string, path: string): [string, NonNullable<Failure['params']>, string] {
  const code = errno === 'ELOOP' ? 'gate.link.loop' : errno === 'ENAMETOOLONG' ? 'gate.name.long' : errno === 'ENOENT' || errno === 'ENOTDIR' ? 'gate.missing' : 'gate.unreadable';
  return [code, { path }, errno];
}


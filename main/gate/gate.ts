import { isAbsolutePath, isWithin, nameOf, normalisePath, type Flavour } from '#domain/policy/flavour.ts';
import { isConfigThatRuns, isDangerousName, isProgramName, isRepositoryInside, isSensitivePath, OWN_LEFTOVER } from '#domain/policy/names.ts';
import { checkPathText } from '#domain/policy/path-text.ts';
import { isStage, isSystemPath } from '#domain/policy/system-folders.ts';
import { decideDeed } from '#domain/policy/table.ts';
import { fail, ok, type Failure, type Result } from '#domain/result.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import { absoluteOf, holder, locate, realAddresses, type Located, type RealAddress } from './locate.ts';
import type { Gate, GateContext, GateOp, Verdict } from './types.ts';

export interface GateDeps {
  readonly fs: FsPort;
  readonly flavour: Flavour;
  /** The person's home, where known: a home inside a system folder is theirs. */
  readonly home: string | null;
  /** The app's own data: never read, listed, written or chosen (C-46). */
  readonly dataDir: string;
}

/** Acts on the name in its folder, also when it is a link. */
const ENTRY_OPS = new Set<GateOp>(['trash', 'move', 'rename']);
const READS = new Set<GateOp>(['read', 'list', 'search', 'open']);

/**
 * The one gate for every tool (design §5, WA-POLICY-01): checks how the path is written, resolves it on
 * the disk and decides on the resolved object. Nothing outside every address is touched, not even
 * looked at, for a caller who could not have it anyway. Never throws for what a path may be.
 */
export function createGate(deps: GateDeps): Gate & { warnRoot(path: string): string | null } {
  return {
    judge: (op, path, context) => judge(deps, op, path, context),
    judgeRoot: (path) => judgeRoot(deps, path),
    /** A permitted root that deserves a second thought: `gate.root.home` (the whole home), or null. */
    warnRoot: (path) => (deps.home !== null && isWithin(deps.home, path, deps.flavour, 'loose') ? 'gate.root.home' : null),
  };
}

async function judge(deps: GateDeps, op: GateOp, text: string, context: GateContext): Promise<Verdict> {
  const { fs, flavour } = deps;
  const addresses = await realAddresses(fs, context.addresses);
  const spelled = checkPathText(beyondRoot(text, context, addresses, flavour), flavour);
  if (!spelled.ok) return refuse(spelled.error);
  const absolute = await absoluteOf(fs, text, addresses, flavour);
  if (!absolute.ok) return refuse(absolute.error);
  const written = absolute.value;
  const early = earlyRefusal(deps, written, context, addresses);
  if (early !== null) return refuse({ code: early, params: { path: written } });
  const found = await locate(fs, written, addresses, flavour, ENTRY_OPS.has(op));
  if (!found.ok) return refuse(found.error);
  return decide(deps, op, found.value, context, addresses);
}

async function decide(deps: GateDeps, op: GateOp, at: Located, context: GateContext, addresses: readonly RealAddress[]): Promise<Verdict> {
  const { flavour } = deps;
  const both = [at.path, at.written];
  const asKind = at.kind === 'folder' || op === 'mkdir' ? 'folder' : 'file';
  const dataDir = await realOrSame(deps.fs, deps.dataDir);
  if (OWN_LEFTOVER.test(nameOf(at.path, flavour))) return refuse({ code: 'gate.name.reserved', params: { path: at.shownPath } });
  const decision = decideDeed({
    op,
    caller: context.caller,
    permission: context.permission,
    policy: at.address?.policy ?? null,
    kind: at.kind,
    // Looked up only where it can matter: inside an address it opens nothing.
    pointedAt: at.address === null && (await isPointedAt(deps.fs, at.path, context.pointedAt)),
    system: isSystemPath(at.path, flavour, deps.home),
    ownData: both.some((path) => isWithin(path, dataDir, flavour, 'loose')) || (!READS.has(op) && isWithin(dataDir, at.path, flavour, 'loose')),
    sensitive: both.some((path) => isSensitivePath(path, asKind, flavour)),
    dangerous: both.some((path) => isDangerousName(nameOf(path, flavour))),
    program: both.some((path) => isProgramName(nameOf(path, flavour))),
    repository: isRepositoryInside(at.path, flavour),
    configThatRuns: isConfigThatRuns(at.path, flavour),
    isRoot: at.kind === 'folder' && addresses.some(({ root }) => isWithin(root, at.path, flavour, 'loose')),
    otherNames: at.links > 1,
  });
  if (decision.say === 'refuse') return refuse({ code: decision.code, params: { path: at.shownPath } });
  const target = { path: at.path, exists: at.kind !== 'absent', kind: at.kind, zone: at.address === null ? 'outside' : 'inside', address: at.address, shownPath: at.shownPath } as const;
  return decision.say === 'do' ? { verdict: 'do', target } : { verdict: decision.say, target, reason: decision.reason };
}

/** What can be refused without looking at the disk, so that nothing outside is even looked at. */
function earlyRefusal(deps: GateDeps, written: string, context: GateContext, addresses: readonly RealAddress[]): string | null {
  const { flavour } = deps;
  if (isWithin(written, deps.dataDir, flavour, 'loose')) return 'gate.ownData';
  if (isSystemPath(written, flavour, deps.home) && holder(written, addresses, flavour, 'loose') === null) return 'gate.system';
  const pointed = context.pointedAt.some((path) => isAbsolutePath(path, flavour) && normalisePath(path, flavour) === written);
  if (context.caller === 'local' && !pointed && holder(written, addresses, flavour, 'loose') === null) return 'gate.outside';
  return null;
}

/** The part of a path that the caller made up: the person chose the root's own name. */
function beyondRoot(text: string, context: GateContext, addresses: readonly RealAddress[], flavour: Flavour): string {
  const roots = [...addresses.map(({ root }) => root), ...context.addresses.map(({ root }) => root)];
  const root = roots.find((one) => one.length > 1 && (text.startsWith(one + '/') || (flavour === 'win32' && text.startsWith(one + '\\'))));
  if (root === undefined) return text;
  // Kept absolute, so that a rule for relative paths does not read it as one.
  return flavour === 'win32' ? root.slice(0, 3) + text.slice(root.length + 1) : text.slice(root.length);
}

async function judgeRoot(deps: GateDeps, text: string): Promise<Result<string>> {
  const { fs, flavour } = deps;
  const spelled = checkPathText(text, flavour);
  if (!spelled.ok) return spelled;
  if (!isAbsolutePath(text, flavour)) return fail('gate.root.relative', { path: text });
  const written = normalisePath(text, flavour);
  const early = rootRefusal(deps, written, deps.dataDir);
  if (early !== null) return fail(early, { path: written });
  try {
    const real = await fs.realpath(written);
    if ((await fs.stat(real)).kind !== 'folder') return fail('gate.root.notFolder', { path: written });
    const late = rootRefusal(deps, real, await realOrSame(fs, deps.dataDir));
    return late === null ? ok(real) : fail(late, { path: real });
  } catch (cause) {
    const errno = errnoOf(cause);
    return fail(errno === 'ENOENT' || errno === 'ENOTDIR' ? 'gate.root.missing' : 'gate.root.unreadable', { path: written }, errno);
  }
}

function rootRefusal(deps: GateDeps, path: string, dataDir: string): string | null {
  const { flavour } = deps;
  if (isStage(path, flavour)) return 'gate.root.wholeDisk';
  if (isSystemPath(path, flavour, deps.home)) return 'gate.root.system';
  if (isWithin(path, dataDir, flavour, 'loose')) return 'gate.root.ownData';
  if (isSensitivePath(path, 'folder', flavour)) return 'gate.root.sensitive';
  if (isRepositoryInside(path, flavour)) return 'gate.root.repository';
  return null;
}

async function isPointedAt(fs: FsPort, path: string, pointedAt: readonly string[]): Promise<boolean> {
  for (const one of pointedAt) if (one === path || (await realOrSame(fs, one)) === path) return true;
  return false;
}

async function realOrSame(fs: FsPort, path: string): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch {
    return path;
  }
}

function refuse(error: Failure): Verdict {
  return { verdict: 'refuse', code: error.code, params: error.params ?? {} };
}

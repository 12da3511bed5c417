import { join } from 'node:path';
import { draft, partnerEvents } from '#domain/events/index.ts';
import type { Hash, OriginId } from '#domain/ids.ts';
import { isId } from '#domain/ids.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import { TEMP_PREFIX, writeFileAtomic } from '#main/fs/atomic.ts';
import type { Clock } from '#main/ports/clock.ts';
import { errnoOf, type FsPort, type OpenFile } from '#main/ports/fs.ts';
import { newId, type Random } from '#main/ports/random.ts';
import { FileEventLog } from './event-log.ts';
import { FIRST_PREV } from './line.ts';
import { openOrigin, type Anchor, type OriginLog, type OriginProblem } from './origin-log.ts';
import { readRawLines } from './read.ts';
import { pathOf, readAt, segmentName } from './segments.ts';
import { BlockBuilder } from './sidecar.ts';
import type { EventLog, LogFinding } from './types.ts';

export interface OpenLogOptions {
  /** The log's own directory: `log/<originId>/…`, `cache/`, `recovered/` and `origin.json` lie in it. */
  readonly dir: string;
  readonly kind: 'partner' | 'app';
  readonly fs: FsPort;
  readonly clock: Clock;
  readonly random: Random;
  /** Ends that must still be there, from the app log. */
  readonly anchors?: Readonly<Record<string, { readonly seq: number; readonly h: Hash }>>;
  /** Who writes here: another machine id starts a fresh origin. */
  readonly machine: string;
}

/**
 * Opens a log, or begins an empty one (design §3, Open). Cost does not depend on its length. Torn tails
 * are cut, copied to `recovered/` and named; damage makes it read-only and is never cut; a log that ends
 * before its anchor, or says something else there, is damage too. Where only the last anchored line is cut
 * off, what is left of it is copied and named and the log goes on in a fresh origin: no seq is given twice. A disk that refuses to be written makes
 * it read-only, not unreadable. Codes: log.io.
 */
export async function openEventLog(options: OpenLogOptions): Promise<Result<EventLog>> {
  const { fs, dir } = options;
  try {
    const logDir = join(dir, 'log');
    const findings: LogFinding[] = [];
    const origins = new Map<OriginId, OriginLog>();
    let readOnly = false;
    const known = await readOwn(fs, dir);
    const lost: { readonly log: OriginLog; readonly problem: Extract<OriginProblem, { kind: 'lostEnd' }> }[] = [];
    const anchorOf = (origin: OriginId): Anchor | null => options.anchors?.[origin] ?? null;
    for (const origin of await listOrigins(fs, logDir)) {
      await dropTemps(fs, join(logDir, origin));
      const { log, problem } = await openOrigin(fs, logDir, join(dir, 'cache'), origin, anchorOf(origin));
      origins.set(origin, log);
      if (problem?.kind === 'torn') {
        const { finding, cut } = await cutTail(fs, dir, log, problem, options.clock);
        findings.push(finding);
        readOnly ||= !cut;
      }
      if (problem?.kind === 'lostEnd') lost.push({ log, problem });
      const damage = problem?.kind === 'damage' ? problem : await anchorMismatch(fs, log, anchorOf(origin));
      if (damage) {
        readOnly = true;
        findings.push({ kind: 'damage', origin, segment: segmentName(damage.segment), offset: damage.at, afterSeq: damage.afterSeq });
      }
    }
    const ended = lost.map(({ log }) => log.origin);
    // Told is what an earlier start told and went on after: it stands only once something durable came behind it.
    const told = known && (origins.get(known.origin)?.headSeq ?? 0) > 0 ? known.left : [];
    for (const { log, problem } of lost) if (!told.includes(log.origin)) findings.push(await keepTail(fs, dir, log, problem, options.clock));
    for (const [origin, anchor] of Object.entries(options.anchors ?? {})) {
      const lastSeq = origins.get(origin as OriginId)?.headSeq ?? 0;
      if (lastSeq >= anchor.seq || ended.includes(origin as OriginId)) continue;
      readOnly = true;
      findings.push({ kind: 'missingEnd', origin: origin as OriginId, lastSeq, anchoredSeq: anchor.seq });
    }
    const own = await ownOrigin(options, known, ended, origins, logDir, readOnly).catch((cause: unknown) => {
      // Nothing can be begun on a disk that refuses; what is there is still read.
      const [first] = origins.values();
      if (!first) throw cause;
      readOnly = true;
      return { log: first, fresh: null };
    });
    origins.set(own.log.origin, own.log);
    const settle = () => settleTail(fs, own.log);
    // A disk that refuses just now may have room again by the first line: that one tries again.
    const unsettled = readOnly || (await settle().then(() => true, () => false)) ? null : settle;
    const parts = { kind: options.kind, fs, clock: options.clock, random: options.random, origins, own: own.log, findings, readOnly, unsettled };
    const log = new FileEventLog(parts);
    if (!own.fresh || readOnly) return ok(log);
    const started = await log.append([draft(partnerEvents.OriginStarted, { reason: own.fresh }, { actor: 'host' })]).durable;
    if (started.ok) return ok(log);
    await log.close();
    return ok(new FileEventLog({ ...parts, readOnly: true, unsettled: null }));
  } catch (cause) {
    return fail('log.io', { errno: errnoOf(cause) }, cause instanceof Error ? cause.message : String(cause));
  }
}

/**
 * Lines that a killed process wrote and never synced read well now and are shown: they are made durable
 * before anything is built on them, and so is the name of a segment that nothing was written to yet.
 */
async function settleTail(fs: FsPort, log: OriginLog): Promise<void> {
  const last = log.segments.at(-1);
  if (!last) return;
  for (const info of new Set([log.segments.findLast((s) => s.size > 0) ?? last, last])) {
    const file = await fs.open(pathOf(log.dir, info.number), 'r+');
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
  }
  await fs.syncDir(log.dir);
}

/** An anchored line that is there but is not the one that was anchored: somebody rewrote the end, or put an older copy in its place and went on. */
async function anchorMismatch(fs: FsPort, log: OriginLog, anchor: Anchor | null): Promise<{ readonly segment: number; readonly at: number; readonly afterSeq: number } | null> {
  if (!anchor || log.headSeq < anchor.seq) return null;
  if (log.headSeq === anchor.seq && log.headHash === anchor.h) return null;
  if (log.headSeq > anchor.seq) for await (const { line } of readRawLines(fs, log, anchor.seq, anchor.seq)) if (line.toString('latin1', 6, 70) === anchor.h) return null;
  return { segment: log.segments.at(-1)?.number ?? 1, at: 0, afterSeq: anchor.seq - 1 };
}

async function listOrigins(fs: FsPort, logDir: string): Promise<OriginId[]> {
  const entries = await fs.readdir(logDir).catch((cause: unknown) => {
    if (errnoOf(cause) === 'ENOENT') return [];
    throw cause;
  });
  return entries.flatMap((e) => (e.kind === 'folder' && isId('origin', e.name) ? [e.name] : [])).sort();
}

/** What `origin.json` remembers. */
interface Own {
  readonly origin: OriginId;
  readonly machine: string;
  /** Origins that ended with a line that was cut off: known, and named to the person once. */
  readonly left: readonly OriginId[];
}

/** Missing or unreadable: a fresh origin is always right, it only costs a folder. */
async function readOwn(fs: FsPort, dir: string): Promise<Own | null> {
  try {
    const raw = JSON.parse(new TextDecoder().decode(await fs.readFile(join(dir, 'origin.json')))) as Partial<Own>;
    return isId('origin', String(raw.origin)) ? { origin: raw.origin!, machine: String(raw.machine), left: Array.isArray(raw.left) ? raw.left : [] } : null;
  } catch {
    return null;
  }
}

/** The origin that this installation writes: the remembered one; a fresh one on another machine, or when the remembered one has lost its end (design §3). */
async function ownOrigin(options: OpenLogOptions, remembered: Own | null, ended: readonly OriginId[], origins: ReadonlyMap<OriginId, OriginLog>, logDir: string, readOnly: boolean): Promise<{ readonly log: OriginLog; readonly fresh: 'moved' | 'restored' | null }> {
  const known = remembered?.machine === options.machine && !ended.includes(remembered.origin) ? remembered : null;
  const log = known && origins.get(known.origin);
  if (log) {
    // Another writer's end: told now, and not again at every start.
    if (ended.some((one) => !known.left.includes(one))) await writeOwn(options, { ...known, left: ended }).catch(() => undefined);
    // Its folder may be there and its first line not: a kill or a full disk came between.
    return { log, fresh: log.headSeq > 0 || origins.size === 1 ? null : ended.length > 0 ? 'restored' : 'moved' };
  }
  const [first] = origins.values();
  if (readOnly) return { log: first ?? emptyOrigin(options, logDir, newId(options.random, 'origin')), fresh: null };
  // A fresh id, or the remembered one whose first line never became durable.
  const origin = known && !origins.has(known.origin) ? known.origin : newId(options.random, 'origin');
  if (origin !== known?.origin) {
    await options.fs.mkdir(options.dir, { recursive: true, mode: 0o700 });
    await writeOwn(options, { origin, machine: options.machine, left: ended });
  }
  const moved = origins.size > 0 ? ('moved' as const) : null;
  return { log: emptyOrigin(options, logDir, origin), fresh: remembered && remembered.machine === options.machine && ended.length > 0 ? 'restored' : moved };
}

function writeOwn({ fs, dir }: OpenLogOptions, own: Own): Promise<void> {
  const { left, ...rest } = own;
  return writeFileAtomic(fs, join(dir, 'origin.json'), new TextEncoder().encode(JSON.stringify(left.length > 0 ? own : rest)), 0o600);
}

function emptyOrigin(options: OpenLogOptions, logDir: string, origin: OriginId): OriginLog {
  return { origin, dir: join(logDir, origin), cacheDir: join(options.dir, 'cache', origin), segments: [], headSeq: 0, headHash: FIRST_PREV, lamport: 0, builder: new BlockBuilder([]) };
}

/** Leftovers of a rewrite that a kill interrupted. Only our own names; one that stays does no harm. */
async function dropTemps(fs: FsPort, dir: string): Promise<void> {
  for (const e of await fs.readdir(dir)) if (e.name.startsWith(TEMP_PREFIX)) await fs.unlink(join(dir, e.name)).catch(() => undefined);
}

/**
 * Copies an unfinished tail to `recovered/`, then cuts it: in this order, so that a kill between loses
 * nothing. Where the disk is full or read-only nothing is cut (`cut` false) and the rest is readable.
 */
async function cutTail(fs: FsPort, dir: string, log: OriginLog, problem: Extract<OriginProblem, { kind: 'torn' }>, clock: Clock): Promise<{ readonly finding: LogFinding; readonly cut: boolean }> {
  const finding = { kind: 'tornTail' as const, origin: log.origin, bytes: problem.bytes };
  try {
    const file = await fs.open(pathOf(log.dir, problem.segment), 'r+');
    try {
      const copy = await copyTail(fs, dir, log, problem, file, clock);
      await file.truncate(problem.at);
      await file.sync();
      return { finding: { ...finding, copy }, cut: true };
    } finally {
      await file.close();
    }
  } catch {
    return { finding: { ...finding, copy: '' }, cut: false };
  }
}

/** Copies what is left of a lost line to `recovered/`. The segment stays as it is: nothing is written to it any more. */
async function keepTail(fs: FsPort, dir: string, log: OriginLog, problem: Extract<OriginProblem, { kind: 'lostEnd' }>, clock: Clock): Promise<LogFinding> {
  const finding = { kind: 'lostRecord' as const, origin: log.origin, bytes: problem.bytes };
  try {
    const file = await fs.open(pathOf(log.dir, problem.segment), 'r');
    try {
      return { ...finding, copy: await copyTail(fs, dir, log, problem, file, clock) };
    } finally {
      await file.close();
    }
  } catch {
    return { ...finding, copy: '' };
  }
}

async function copyTail(fs: FsPort, dir: string, log: OriginLog, problem: { readonly segment: number; readonly at: number; readonly bytes: number }, file: OpenFile, clock: Clock): Promise<string> {
  const tail = await readAt(file, problem.at, problem.bytes);
  const stamp = new Date(clock.now()).toISOString().replace(/[:.]/g, '-');
  const copy = join(dir, 'recovered', `${log.origin}-${segmentName(problem.segment)}-${problem.at}-${stamp}.bin`);
  await writeFileAtomic(fs, copy, tail, 0o600);
  return copy;
}

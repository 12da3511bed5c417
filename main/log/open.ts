import { join } from 'node:path';
import { draft, partnerEvents } from '#domain/events/index.ts';
import type { Hash, OriginId } from '#domain/ids.ts';
import { isId } from '#domain/ids.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import { TEMP_PREFIX, writeFileAtomic } from '#main/fs/atomic.ts';
import type { Clock } from '#main/ports/clock.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import { newId, type Random } from '#main/ports/random.ts';
import { FileEventLog } from './event-log.ts';
import { FIRST_PREV } from './line.ts';
import { openOrigin, type OriginLog, type OriginProblem } from './origin-log.ts';
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
 * before its anchor is damage too. Codes: log.io.
 */
export async function openEventLog(options: OpenLogOptions): Promise<Result<EventLog>> {
  const { fs, dir } = options;
  try {
    const logDir = join(dir, 'log');
    const findings: LogFinding[] = [];
    const origins = new Map<OriginId, OriginLog>();
    let readOnly = false;
    for (const origin of await listOrigins(fs, logDir)) {
      await dropTemps(fs, join(logDir, origin));
      const { log, problem } = await openOrigin(fs, logDir, join(dir, 'cache'), origin);
      origins.set(origin, log);
      if (problem?.kind === 'torn') findings.push(await cutTail(fs, dir, log, problem, options.clock));
      if (problem?.kind === 'damage') {
        readOnly = true;
        findings.push({ kind: 'damage', origin, segment: segmentName(problem.segment), offset: problem.at, afterSeq: problem.afterSeq });
      }
    }
    for (const [origin, anchor] of Object.entries(options.anchors ?? {})) {
      const lastSeq = origins.get(origin as OriginId)?.headSeq ?? 0;
      if (lastSeq >= anchor.seq) continue;
      readOnly = true;
      findings.push({ kind: 'missingEnd', origin: origin as OriginId, lastSeq, anchoredSeq: anchor.seq });
    }
    const own = await ownOrigin(options, origins, logDir, readOnly);
    origins.set(own.log.origin, own.log);
    const log = new FileEventLog({ kind: options.kind, fs, clock: options.clock, random: options.random, origins, own: own.log, findings, readOnly });
    if (own.moved && !readOnly) {
      const started = await log.append([draft(partnerEvents.OriginStarted, { reason: 'moved' }, { actor: 'host' })]).durable;
      if (!started.ok) return started;
    }
    return ok(log);
  } catch (cause) {
    return fail('log.io', { errno: errnoOf(cause) }, cause instanceof Error ? cause.message : String(cause));
  }
}

async function listOrigins(fs: FsPort, logDir: string): Promise<OriginId[]> {
  const entries = await fs.readdir(logDir).catch((cause: unknown) => {
    if (errnoOf(cause) === 'ENOENT') return [];
    throw cause;
  });
  return entries.flatMap((e) => (e.kind === 'folder' && isId('origin', e.name) ? [e.name] : [])).sort();
}

/** The origin that this installation writes: remembered in `origin.json`; a fresh one on another machine (design §3). */
async function ownOrigin(options: OpenLogOptions, origins: ReadonlyMap<OriginId, OriginLog>, logDir: string, readOnly: boolean): Promise<{ readonly log: OriginLog; readonly moved: boolean }> {
  const file = join(options.dir, 'origin.json');
  let known: { origin: OriginId; machine: string } | null = null;
  try {
    known = JSON.parse(new TextDecoder().decode(await options.fs.readFile(file))) as { origin: OriginId; machine: string };
  } catch {
    // Missing or unreadable: a fresh origin is always right, it only costs a folder.
  }
  const log = known && known.machine === options.machine ? origins.get(known.origin) : undefined;
  if (log) return { log, moved: false };
  const [first] = origins.values();
  if (readOnly && first) return { log: first, moved: false };
  // A fresh id, or the remembered one whose first line never became durable.
  const origin = known && known.machine === options.machine && !origins.has(known.origin) ? known.origin : newId(options.random, 'origin');
  if (origin !== known?.origin) {
    await options.fs.mkdir(options.dir, { recursive: true, mode: 0o700 });
    await writeFileAtomic(options.fs, file, new TextEncoder().encode(JSON.stringify({ origin, machine: options.machine })), 0o600);
  }
  const fresh: OriginLog = {
    origin, dir: join(logDir, origin), cacheDir: join(options.dir, 'cache', origin), segments: [], headSeq: 0, headHash: FIRST_PREV, lamport: 0, builder: new BlockBuilder([]),
  };
  return { log: fresh, moved: origins.size > 0 };
}

/** Leftovers of a rewrite that a kill interrupted. Only our own names. */
async function dropTemps(fs: FsPort, dir: string): Promise<void> {
  for (const e of await fs.readdir(dir)) if (e.name.startsWith(TEMP_PREFIX)) await fs.unlink(join(dir, e.name));
}

/** Copies an unfinished tail to `recovered/`, then cuts it: in this order, so that a kill between loses nothing. */
async function cutTail(fs: FsPort, dir: string, log: OriginLog, problem: Extract<OriginProblem, { kind: 'torn' }>, clock: Clock): Promise<LogFinding> {
  const path = pathOf(log.dir, problem.segment);
  const file = await fs.open(path, 'r+');
  try {
    const { size } = await file.stat();
    const tail = await readAt(file, problem.at, size - problem.at);
    const stamp = new Date(clock.now()).toISOString().replace(/[:.]/g, '-');
    const copy = join(dir, 'recovered', `${log.origin}-${segmentName(problem.segment)}-${problem.at}-${stamp}.bin`);
    if (tail.length > 0) await writeFileAtomic(fs, copy, tail, 0o600);
    await file.truncate(problem.at);
    await file.sync();
    return { kind: 'tornTail', origin: log.origin, bytes: tail.length, copy };
  } finally {
    await file.close();
  }
}

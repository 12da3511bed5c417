import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Hash, OriginId } from '#domain/ids.ts';
import { isId } from '#domain/ids.ts';
import type { Moment } from '#domain/moment.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import type { BlobStore } from '#main/blobs/types.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import type { Anchor } from './origin-log.ts';
import { listSegments, pathOf } from './segments.ts';
import { checkBlocks } from './verify-blocks.ts';
import { LineWalk, type Findings } from './verify-lines.ts';
import type { VerifyProblem } from './verify-problem.ts';

export interface VerifyOptions {
  readonly fs: FsPort;
  /** The log's own directory, as for opening. */
  readonly dir: string;
  /** Where the bytes that lines refer to lie; without it they are not looked at. */
  readonly blobs?: Pick<BlobStore, 'pathOf'>;
  readonly anchors?: Readonly<Record<string, Anchor>>;
  /** Only up to here: what a log that is open right now has acknowledged. */
  readonly upTo?: Moment;
}

export interface VerifyReport {
  readonly problems: readonly VerifyProblem[];
  readonly counts: { readonly origins: number; readonly segments: number; readonly events: number; readonly bytes: number; readonly erased: number; readonly blobs: number };
}

/**
 * Checks a log against itself. `full` walks every line of every origin: hashes, chain, order, erasures,
 * anchors and the blobs that lines refer to. `quick` compares blocks of 64 lines with the sidecars and
 * walks only what these do not cover: it finds rot, not forgery. Streams (memory does not grow with the
 * log but for its erased ranges and distinct blobs), yields between chunks, and reads only.
 * Codes: verify.cancelled, verify.io {errno}.
 */
export async function verifyLog(
  options: VerifyOptions, mode: 'full' | 'quick', onProgress?: (bytes: number, total: number) => void, signal?: AbortSignal,
): Promise<Result<VerifyReport>> {
  const { fs, dir } = options;
  const logDir = join(dir, 'log');
  const found: Findings = { problems: [], events: 0, erased: [], erasures: new Map(), refs: new Set() };
  let segments = 0;
  let bytes = 0;
  try {
    const origins = await originsOf(fs, logDir);
    const sizes = new Map<string, number>();
    for (const origin of origins) for (const n of await listSegments(fs, join(logDir, origin))) sizes.set(pathOf(join(logDir, origin), n), (await fs.lstat(pathOf(join(logDir, origin), n))).size);
    const total = [...sizes.values()].reduce((a, b) => a + b, 0);
    const progress = async (done: number) => {
      bytes += done;
      onProgress?.(bytes, total);
      await setImmediate();
      if (signal?.aborted) throw new Cancelled();
    };
    for (const origin of origins) {
      const anchor = options.anchors?.[origin];
      const walk = new LineWalk(origin, found, anchor ?? null, options.upTo ? (options.upTo[origin] ?? 0) : Infinity);
      for (const [i, number] of (await listSegments(fs, join(logDir, origin))).entries()) {
        segments++;
        if (number !== i + 1) walk.gap(number);
        const path = pathOf(join(logDir, origin), number);
        const size = sizes.get(path) ?? 0;
        const covered = mode === 'quick' ? await checkBlocks(fs, path, join(dir, 'cache', origin), number, size, progress) : { end: 0, lines: 0 };
        if (covered.lines > 0) walk.skip(covered.lines);
        await walk.segment(fs, path, number, covered.end, size, progress);
      }
      walk.end(mode);
    }
    for (const origin of Object.keys(options.anchors ?? {})) if (!origins.includes(origin as OriginId)) found.problems.push({ code: 'verify.anchor', params: { origin, seq: options.anchors?.[origin]?.seq ?? 0 } });
    if (mode === 'full') judgeErased(found);
    const blobs = options.blobs ? await checkBlobs(options.blobs, found, signal) : 0;
    return ok({ problems: found.problems, counts: { origins: origins.length, segments, events: found.events, bytes, erased: found.erased.reduce((n, e) => n + e.to - e.from + 1, 0), blobs } });
  } catch (cause) {
    return cause instanceof Cancelled ? fail('verify.cancelled') : fail('verify.io', { errno: errnoOf(cause) });
  }
}

class Cancelled extends Error {}

async function originsOf(fs: FsPort, logDir: string): Promise<OriginId[]> {
  try {
    return (await fs.readdir(logDir)).flatMap((e) => (e.kind === 'folder' && isId('origin', e.name) ? [e.name] : [])).sort();
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return [];
    throw cause;
  }
}

/** A missing payload is valid only if an erasure of this very log names it, and only in class content. */
function judgeErased(found: Findings): void {
  for (const { origin, from, to, by, segment } of found.erased) {
    const ranges = found.erasures.get(by) ?? [];
    for (let seq = from; seq <= to; seq++) {
      if (!ranges.some((r) => r.origin === origin && r.from <= seq && seq <= r.to)) found.problems.push({ code: 'verify.erased', params: { origin, seq, segment } });
    }
  }
}

async function checkBlobs(blobs: Pick<BlobStore, 'pathOf'>, found: Findings, signal: AbortSignal | undefined): Promise<number> {
  for (const packed of found.refs) {
    if (signal?.aborted) throw new Cancelled();
    const hash = Buffer.from(packed, 'latin1').toString('hex') as Hash;
    const there = await blobs.pathOf(hash);
    if (there.ok) continue;
    const code = { 'blob.missing': 'verify.blobMissing', 'blob.damaged': 'verify.blobDamaged' }[there.error.code] ?? 'verify.blobUnread';
    found.problems.push({ code, params: { hash } });
  }
  return found.refs.size;
}

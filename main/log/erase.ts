import { partnerEvents, type DataOf } from '#domain/events/index.ts';
import type { EventId } from '#domain/ids.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import { writeFileAtomic } from '#main/fs/atomic.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import { checkLine, envelopeOf, eraseLine } from './line.ts';
import { firstSeqOf, type OriginLog, type SegmentInfo } from './origin-log.ts';
import { forgetBlocks } from './read.ts';
import { pathOf } from './segments.ts';
import { BlockBuilder, sidecarPath, writeSidecar } from './sidecar.ts';
import type { EventLog } from './types.ts';

type Erasure = DataOf<typeof partnerEvents.ContentErased> & { readonly id: EventId };

/** One closed segment to look at. */
export interface EraseWork {
  readonly origin: OriginLog;
  readonly segment: SegmentInfo;
}

/**
 * Makes acknowledged erasures real: every given segment with something to erase is rewritten whole
 * (temp → fsync → rename → fsync folder), one by one. Run again after a kill it finds what is left by
 * itself. Only class `content` loses its payload, whatever the range covers (design §3). None of the
 * segments may be one that is still written to. Codes: log.full, log.io {errno}.
 */
export async function eraseSegments(fs: FsPort, work: readonly EraseWork[], log: EventLog, onProgress?: (done: number, total: number) => void): Promise<Result<void>> {
  try {
    const erasures: Erasure[] = [];
    for await (const batch of log.readBatches()) {
      for (const event of batch) if (event.type === 'ContentErased' && event.data) erasures.push({ ...(event.data as DataOf<typeof partnerEvents.ContentErased>), id: event.id });
    }
    for (const [done, { origin, segment }] of work.entries()) {
      onProgress?.(done, work.length);
      const firstSeq = await firstSeqOf(fs, origin, segment);
      const mine = erasures.flatMap((e) => e.ranges.filter((r) => r.origin === origin.origin && r.to >= firstSeq).map((r) => ({ ...r, id: e.id })));
      if (mine.length > 0) await eraseSegment(fs, origin, segment, firstSeq, mine);
    }
    onProgress?.(work.length, work.length);
    return ok();
  } catch (cause) {
    const errno = errnoOf(cause);
    return fail(errno === 'ENOSPC' || errno === 'EDQUOT' ? 'log.full' : 'log.io', { errno });
  }
}

async function eraseSegment(
  fs: FsPort, origin: OriginLog, segment: SegmentInfo, firstSeq: number, ranges: readonly { readonly from: number; readonly to: number; readonly id: EventId }[],
): Promise<void> {
  const path = pathOf(origin.dir, segment.number);
  const bytes = Buffer.from(await fs.readFile(path));
  const out: Buffer[] = [];
  let changed = false;
  let seq = firstSeq;
  for (let from = 0; from < bytes.length; seq++) {
    const end = bytes.indexOf(0x0a, from) + 1;
    // Damage is not ours to rewrite: the segment stays as it is, and verify names it.
    if (end === 0) return;
    const line = bytes.subarray(from, end);
    const check = checkLine(line, null);
    if (!check.ok) return;
    const range = ranges.find((r) => r.from <= seq && seq <= r.to);
    const erase = range !== undefined && !check.erased && envelopeOf(line).class === 'content';
    out.push(erase ? eraseLine(line, range.id) : line);
    changed ||= erase;
    from = end;
  }
  if (!changed) return;
  const next = Buffer.concat(out);
  const sidecar = sidecarPath(origin.cacheDir, segment.number);
  // Its offsets are about to be wrong: a kill between must find none rather than a lying one.
  await fs.unlink(sidecar).catch((cause: unknown) => {
    if (errnoOf(cause) !== 'ENOENT') throw cause;
  });
  forgetBlocks(segment);
  try {
    await writeFileAtomic(fs, path, next, 0o600);
  } finally {
    // It may have failed after the rename: what counts is what lies there now.
    segment.size = await fs.lstat(path).then((s) => s.size, () => segment.size);
  }
  const builder = new BlockBuilder([]);
  for (const line of out) builder.take(line);
  if (segment === origin.segments.at(-1)) origin.builder = builder;
  try {
    await fs.mkdir(origin.cacheDir, { recursive: true });
    await writeSidecar(fs, sidecar, builder.blocks);
  } catch {
    // A cache: made again when it is missed.
  }
}

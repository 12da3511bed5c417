import { join } from 'node:path';
import { partnerEvents, type DataOf } from '#domain/events/index.ts';
import type { EventId, OriginId } from '#domain/ids.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import { writeFileAtomic } from '#main/fs/atomic.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import { envelopeOf, eraseLine } from './line.ts';
import { firstSeqOf, type OriginLog } from './origin-log.ts';
import { pathOf } from './segments.ts';
import { BlockBuilder, sidecarPath, writeSidecar } from './sidecar.ts';
import type { EventLog } from './types.ts';

type Erasure = DataOf<typeof partnerEvents.ContentErased> & { readonly id: EventId };

/**
 * Makes acknowledged erasures real: every closed segment with something to erase is rewritten whole
 * (temp → fsync → rename → fsync folder), one by one. Run again after a kill it finds what is left by
 * itself. Only class `content` loses its payload, whatever the range covers (design §3).
 */
export async function eraseSegments(fs: FsPort, origins: ReadonlyMap<OriginId, OriginLog>, log: EventLog, onProgress?: (done: number, total: number) => void): Promise<Result<void>> {
  const erasures: Erasure[] = [];
  for await (const event of log.readMerged()) {
    if (event.type === 'ContentErased' && event.data) erasures.push({ ...(event.data as DataOf<typeof partnerEvents.ContentErased>), id: event.id });
  }
  const work = [...origins.values()].flatMap((o) => o.segments.filter((s) => s.size > 0).map((segment) => ({ origin: o, segment })));
  try {
    for (const [done, { origin, segment }] of work.entries()) {
      onProgress?.(done, work.length);
      const firstSeq = await firstSeqOf(fs, origin, segment);
      const mine = erasures.flatMap((e) => e.ranges.filter((r) => r.origin === origin.origin && r.to >= firstSeq).map((r) => ({ ...r, id: e.id })));
      if (mine.length > 0) await eraseSegment(fs, origin, segment, firstSeq, mine);
    }
    onProgress?.(work.length, work.length);
    return ok();
  } catch (cause) {
    return fail('log.io', { errno: errnoOf(cause) });
  }
}

async function eraseSegment(
  fs: FsPort, origin: OriginLog, segment: OriginLog['segments'][number], firstSeq: number, ranges: readonly { readonly from: number; readonly to: number; readonly id: EventId }[],
): Promise<void> {
  const path = pathOf(origin.dir, segment.number);
  const bytes = Buffer.from(await fs.readFile(path));
  const out: Buffer[] = [];
  let changed = false;
  let seq = firstSeq;
  for (let from = 0; from < segment.size; seq++) {
    const end = bytes.indexOf(0x0a, from) + 1;
    const line = bytes.subarray(from, end);
    const range = ranges.find((r) => r.from <= seq && seq <= r.to);
    const erase = range !== undefined && !line.includes('},"d":null,"x":') && envelopeOf(line).class === 'content';
    out.push(erase ? eraseLine(line, range.id) : line);
    changed ||= erase;
    from = end;
  }
  if (!changed) return;
  const next = Buffer.concat(out);
  await writeFileAtomic(fs, path, next, 0o600);
  segment.size = next.length;
  // Offsets moved: the sidecar is rebuilt from the new bytes.
  const builder = new BlockBuilder([]);
  for (const line of out) builder.take(line);
  await fs.mkdir(join(origin.cacheDir), { recursive: true });
  await writeSidecar(fs, sidecarPath(origin.cacheDir, segment.number), builder.blocks).catch(() => undefined);
}

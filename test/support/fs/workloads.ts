import { createHash } from 'node:crypto';
import type { Hash } from '#domain/ids.ts';
import { openBlobStore } from '#main/blobs/blob-store.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { verifyLog } from '#main/log/verify.ts';
import { unhurried } from './faults.ts';
import { checkpoint, erased, fixedClock, message, named, openLog, seeded, told } from './log-world.ts';

export const DATA = '/data';
export const DIR = `${DATA}/partners/p1`;

export type Ack = (what: string) => void;
/** Does something to a data folder and says what it was told is done. */
export type Workload = (fs: FsPort, ack: Ack) => Promise<void>;

const SECRET = 'secret of the person';

async function acked(ack: Ack, log: Awaited<ReturnType<typeof openLog>>, drafts: Parameters<typeof log.append>[0]): Promise<void> {
  const done = await log.append(drafts).durable;
  if (done.ok) for (const e of done.value) ack(e.id);
}

/** Messages, alone and together, with checkpoints between them, then a close and one more. */
export const append: Workload = async (fs, ack) => {
  const log = await openLog(fs, DIR);
  await acked(ack, log, [message('one')]);
  await Promise.all([acked(ack, log, [message('two'), named('b')]), acked(ack, log, [message('three')])]);
  await log.append([checkpoint('part')], { durable: false }).durable;
  await acked(ack, log, [message('four')]);
  await log.close();
  const again = await openLog(fs, DIR, { random: seeded(8) });
  await acked(ack, again, [message('five')]);
  await again.close();
};

/** The same on a slow disk. */
export const appendSlowly: Workload = (fs, ack) => append(unhurried(fs), ack);

const BIG = 'x'.repeat(31_000);
/** Fills a segment so far that the next long line rolls it. */
export const fillSegment: Workload = async (fs, ack) => {
  const log = await openLog(fs, DIR);
  for (let k = 0; k < 3; k++) await acked(ack, log, Array.from({ length: 88 }, () => message(BIG)));
  await log.close();
};

/** On a filled segment: lines before the roll, the one that rolls it, and lines after it. */
export const rollOver: Workload = async (fs, ack) => {
  const log = await openLog(fs, DIR);
  await acked(ack, log, [message('before')]);
  for (let k = 0; k < 3; k++) await acked(ack, log, [message(BIG)]);
  await log.append([checkpoint('part')], { durable: false }).durable;
  await acked(ack, log, [message('after')]);
  await log.close();
};

/** Fills a segment until the next line rolls it; twice at night. */
export const roll: Workload = async (fs, ack) => {
  const log = await openLog(fs, DIR);
  for (let i = 0; i < (process.env['NIGHTLY'] ? 2 : 1); i++) {
    for (let k = 0; k < 3; k++) await acked(ack, log, Array.from({ length: 90 }, () => message(BIG)));
    await acked(ack, log, [message('after')]);
  }
  await log.close();
};

/** A blob, then the event that needs it, as everything that refers to bytes must do it. */
export const blobThenEvent: Workload = async (fs, ack) => {
  const blobs = await openBlobStore(fs, `${DATA}/blobs`, fixedClock());
  if (!blobs.ok) return;
  const log = await openLog(fs, DIR);
  for (const text of ['first bytes', 'second bytes', 'first bytes']) {
    const hash = await blobs.value.put(Buffer.from(text));
    if (hash.ok) await acked(ack, log, [told(hash.value)]);
  }
  await log.close();
};

/** The planted bug: the event does not wait for its bytes. */
export const eventThenBlob: Workload = async (fs, ack) => {
  const blobs = await openBlobStore(fs, `${DATA}/blobs`, fixedClock());
  if (!blobs.ok) return;
  const log = await openLog(fs, DIR);
  const bytes = Buffer.from('late bytes');
  await acked(ack, log, [told(createHash('sha256').update(bytes).digest('hex') as Hash)]);
  await blobs.value.put(bytes);
  await log.close();
};

/** A file of the person's, kept as a blob by kernel copy, then the event that needs it. */
export const putFile: Workload = async (fs, ack) => {
  await fs.mkdir('/w', { recursive: true });
  const file = await fs.open('/w/a', 'w', 0o444);
  await file.write(Buffer.from('bytes of a file'), 0);
  await file.close();
  const blobs = await openBlobStore(fs, `${DATA}/blobs`, fixedClock());
  if (!blobs.ok) return;
  const log = await openLog(fs, DIR);
  for (let i = 0; i < 2; i++) {
    const kept = await blobs.value.putFile('/w/a');
    if (kept.ok) await acked(ack, log, [told(kept.value.hash)]);
  }
  await log.close();
};

/** Sweeps a blob and needs it again. */
export const sweepAndBack: Workload = async (fs, ack) => {
  const blobs = await openBlobStore(fs, `${DATA}/blobs`, fixedClock());
  if (!blobs.ok) return;
  const log = await openLog(fs, DIR);
  await blobs.value.put(Buffer.from('swept bytes'));
  await blobs.value.sweep(() => false).catch(() => undefined);
  const hash = await blobs.value.put(Buffer.from('swept bytes'));
  if (hash.ok) await acked(ack, log, [told(hash.value)]);
  await log.close();
};

export const erase: Workload = async (fs, ack) => {
  const log = await openLog(fs, DIR);
  await acked(ack, log, Array.from({ length: 6 }, (_, i) => message(`${SECRET} ${i}`)));
  await acked(ack, log, [named('stays')]);
  await acked(ack, log, [erased(log.origin, 1, 7)]);
  if ((await log.erase()).ok) ack('erased');
  await acked(ack, log, [message('after')]);
  await log.close();
};

/**
 * What must hold of a data folder after any fault (I1, I2, I3, I7, I12): every acknowledged event is read
 * back, in order, once; the chain verifies to the end; no event names missing bytes; the log takes new
 * events; no leftovers. Returns what is wrong, or null.
 */
export async function judge(fs: FsPort, acks: readonly string[]): Promise<string | null> {
  const ids = acks.filter((a) => a.startsWith('event_'));
  const log = await openLog(fs, DIR, { random: seeded(31) });
  const bad = log.findings.find((f) => f.kind !== 'tornTail');
  if (bad) return `finding ${JSON.stringify(bad)}`;
  if (log.mode !== 'open') return 'read-only';
  const read: string[] = [];
  let erasing = false;
  for await (const e of log.readMerged()) {
    read.push(e.id);
    erasing ||= e.type === 'ContentErased';
  }
  const places = ids.map((id) => read.indexOf(id));
  if (places.includes(-1)) return `acknowledged event ${places.indexOf(-1) + 1} of ${ids.length} is gone`;
  if (places.some((p, i) => i > 0 && p <= places[i - 1]!)) return 'out of order';
  if (new Set(read).size !== read.length) return 'read twice';
  const blobs = await openBlobStore(fs, `${DATA}/blobs`, fixedClock());
  if (!blobs.ok) return blobs.error.code;
  const more = await log.append([message('life goes on')]).durable;
  if (!more.ok) return `cannot append: ${more.error.code}`;
  // An erasure that was acknowledged is finished by whoever opens the log next.
  if (erasing && !(await log.erase()).ok) return 'cannot finish erasing';
  await log.close();
  const verified = await verifyLog({ fs, dir: DIR, blobs: blobs.value }, 'full');
  if (!verified.ok) return verified.error.code;
  if (verified.value.problems.length > 0) return JSON.stringify(verified.value.problems[0]);
  if (erasing) for (const text of await filesUnder(fs, `${DIR}/log`)) if (text.includes(SECRET)) return 'erased text is still there';
  return null;
}

async function filesUnder(fs: FsPort, dir: string): Promise<string[]> {
  const out: string[] = [];
  for (const e of await fs.readdir(dir)) {
    if (e.kind === 'folder') out.push(...(await filesUnder(fs, `${dir}/${e.name}`)));
    else {
      if (e.name.startsWith('.tmp-')) throw new Error(`left over: ${e.name}`);
      out.push(Buffer.from(await fs.readFile(`${dir}/${e.name}`)).toString('latin1'));
    }
  }
  return out;
}

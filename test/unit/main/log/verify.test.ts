import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBlobStore } from '#main/blobs/blob-store.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { checkLine, eraseLine, seal, FIRST_PREV } from '#main/log/line.ts';
import { verifyLog } from '#main/log/verify.ts';
import { appendIds, checkpoint, erased, message, named, openLog, seeded, told } from '#test/support/fs/log-world.ts';
import { memoryFs } from '#test/support/fs/memory-fs.ts';

const DIR = '/data/partners/p1';
const report = async (options: Parameters<typeof verifyLog>[0], mode: 'full' | 'quick' = 'full') => {
  const done = await verifyLog(options, mode);
  if (!done.ok) throw new Error(done.error.code);
  return done.value;
};

describe('verifying a log', () => {
  it('finds nothing in a good one, with erasures, two origins and blobs [I2]', async () => {
    const fs = memoryFs();
    const blobs = await openBlobStore(fs, '/data/blobs');
    if (!blobs.ok) throw new Error(blobs.error.code);
    const hash = await blobs.value.put(Buffer.from('told'));
    if (!hash.ok) throw new Error(hash.error.code);
    const log = await openLog(fs, DIR);
    await appendIds(log, [...Array.from({ length: 200 }, (_, i) => message(`m${i}`)), told(hash.value), named('n')]);
    await appendIds(log, [erased(log.origin, 10, 202)]);
    expect((await log.erase()).ok).toBe(true);
    await appendIds(log, [message('after')]);
    const { moment, hashes } = log.head();
    const anchors = { [log.origin]: { seq: moment[log.origin]!, h: hashes[log.origin]! } };
    await log.close();
    const there = await openLog(fs, DIR, { machine: 'm2', random: seeded(99) });
    await appendIds(there, [message('elsewhere')]);
    await there.close();
    for (const mode of ['full', 'quick'] as const) {
      const { problems, counts } = await report({ fs, dir: DIR, blobs: blobs.value, anchors }, mode);
      expect(problems).toEqual([]);
      expect([counts.origins, counts.events]).toEqual([2, 206]);
      if (mode === 'full') expect([counts.erased, counts.blobs]).toEqual([191, 1]);
    }
    await fs.unlink(`/data/blobs/${hash.value.slice(0, 2)}/${hash.value.slice(2, 4)}/${hash.value}`);
    expect((await report({ fs, dir: DIR, blobs: blobs.value })).problems).toEqual([{ code: 'verify.blobMissing', params: { hash: hash.value } }]);
  });

  it('takes a missing payload without an erasure for damage, and one of class audit or control always', async () => {
    const fs = memoryFs();
    const log = await openLog(fs, DIR);
    await appendIds(log, [message('a'), named('b'), message('c')]);
    const [erasure] = (await appendIds(log, [erased(log.origin, 1, 2)])) as never[];
    await log.close();
    const path = `${DIR}/log/${log.origin}/00000001.jsonl`;
    const lines = Buffer.from(await fs.readFile(path)).toString('latin1').split('\n').slice(0, -1).map((l) => Buffer.from(l + '\n', 'latin1'));
    const file = await fs.open(path, 'w');
    await file.write(Buffer.concat([eraseLine(lines[0]!, erasure!), eraseLine(lines[1]!, erasure!), eraseLine(lines[2]!, erasure!), lines[3]!]), 0);
    const { problems } = await report({ fs, dir: DIR });
    expect(problems.map((p) => [p.code, p.params['seq']])).toEqual([['verify.erased', 2], ['verify.erased', 3]]);
  });

  it('names a gap, a cut end, a wrong anchor and a line that rotted, and counts the rest [I8]', async () => {
    const fs = memoryFs();
    const log = await openLog(fs, DIR);
    await appendIds(log, Array.from({ length: 20 }, (_, i) => message(`m${i}`)));
    const h = log.head().hashes[log.origin]!;
    await log.close();
    const path = `${DIR}/log/${log.origin}/00000001.jsonl`;
    const good = Buffer.from(await fs.readFile(path));
    const lineAt = (n: number) => good.toString('latin1').split('\n').slice(0, n).join('\n').length + 1;
    const put = async (bytes: Uint8Array) => (await fs.open(path, 'w')).write(bytes, 0);
    const rotten = Buffer.from(good);
    rotten[lineAt(5) + 400]! ^= 1;
    await put(rotten);
    expect((await report({ fs, dir: DIR })).problems).toEqual([{ code: 'verify.line', params: { origin: log.origin, segment: '00000001.jsonl', offset: lineAt(5), afterSeq: 5 } }]);
    await put(Buffer.concat([good.subarray(0, lineAt(5)), good.subarray(lineAt(6))]));
    expect((await report({ fs, dir: DIR })).problems).toMatchObject([{ code: 'verify.chain', params: { seq: 7, afterSeq: 5 } }]);
    await put(good.subarray(0, good.length - 20));
    expect((await report({ fs, dir: DIR, anchors: { [log.origin]: { seq: 20, h } } })).problems.map((p) => p.code)).toEqual(['verify.torn', 'verify.anchor']);
    await put(good);
    expect((await report({ fs, dir: DIR, anchors: { [log.origin]: { seq: 19, h } } })).problems.map((p) => p.code)).toEqual(['verify.anchor']);
    await fs.rename(path, path.replace('00000001', '00000002'));
    expect((await report({ fs, dir: DIR })).problems.map((p) => p.code)).toContain('verify.gap');
  });

  it('can be cancelled, and reports how far it is', async () => {
    const fs = memoryFs();
    const log = await openLog(fs, DIR);
    for (let i = 0; i < 10; i++) await appendIds(log, Array.from({ length: 20 }, () => checkpoint('x'.repeat(9000))));
    const stop = new AbortController();
    const seen: number[] = [];
    const done = await verifyLog({ fs, dir: DIR }, 'full', (bytes) => (seen.push(bytes), stop.abort()), stop.signal);
    expect(done).toEqual({ ok: false, error: { code: 'verify.cancelled' } });
    expect(seen).toHaveLength(1);
  });

  it('seals every line so that no single changed byte passes', () => {
    const { bytes } = seal(message('one line'), { id: `event_${'a'.repeat(26)}` as never, origin: `origin_${'b'.repeat(26)}` as never, seq: 1, lamport: 1, at: new Date(0).toISOString(), prev: FIRST_PREV }, 'salt');
    for (let i = 0; i < bytes.length; i++) {
      for (let bit = 1; bit < 256; bit <<= 1) {
        bytes[i]! ^= bit;
        expect(checkLine(bytes, FIRST_PREV).ok, `byte ${i} bit ${bit}`).toBe(false);
        bytes[i]! ^= bit;
      }
    }
  });

  it('finds a changed bit at every byte of a few lines, one of them erased, one with a blob [F4]', async () => {
    const fs = memoryFs();
    const log = await openLog(fs, DIR);
    await appendIds(log, [message('one'), named('二'), told('0'.repeat(64) as never), checkpoint('"\\ }]'), message('last')]);
    await appendIds(log, [erased(log.origin, 1, 1)]);
    expect((await log.erase()).ok).toBe(true);
    await log.close();
    expect((await report({ fs, dir: DIR })).problems).toEqual([]);
    const path = `${DIR}/log/${log.origin}/00000001.jsonl`;
    const bytes = Buffer.from(await fs.readFile(path));
    const file = await fs.open(path, 'r+');
    const random = seeded(6);
    for (let i = 0; i < bytes.length; i++) {
      const bit = 1 << random.below(8);
      bytes[i]! ^= bit;
      await file.write(bytes.subarray(i, i + 1), i);
      expect((await report({ fs, dir: DIR })).problems.length, `byte ${i} bit ${bit}`).toBeGreaterThan(0);
      bytes[i]! ^= bit;
      await file.write(bytes.subarray(i, i + 1), i);
    }
  });

  it.runIf(process.env['BENCH'])('takes at most 4.5 times the hashing of the same bytes, quickly 1.5', { timeout: 120_000 }, async () => {
    const base = existsSync('/tmp/rm-bench-1000000') ? '/tmp/rm-bench-1000000' : mkdtempSync(join(tmpdir(), 'verify-'));
    const dir = join(base, 'p');
    const fs = createNodeFs();
    if (!existsSync(dir)) {
      const log = await openLog(fs, dir);
      for (let i = 0; i < 200; i++) await appendIds(log, Array.from({ length: 1000 }, () => message('x'.repeat(150))));
      await log.close();
    }
    const t0 = performance.now();
    for (const origin of readdirSync(join(dir, 'log'))) for (const name of readdirSync(join(dir, 'log', origin))) createHash('sha256').update(readFileSync(join(dir, 'log', origin, name))).digest();
    const hashing = performance.now() - t0;
    const times: Record<string, number> = {};
    for (const mode of ['full', 'quick'] as const) {
      const t = performance.now();
      const { problems, counts } = await report({ fs, dir }, mode);
      times[mode] = (performance.now() - t) / hashing;
      console.log(mode, counts, problems.length, `${times[mode]!.toFixed(2)} × ${hashing.toFixed(0)} ms`, `${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`);
    }
    if (!base.startsWith('/tmp/rm-bench')) rmSync(base, { recursive: true });
  });
});

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openBlobStore } from '#main/blobs/blob-store.ts';
import type { BlobStore } from '#main/blobs/types.ts';
import type { Hash } from '#domain/ids.ts';
import { fixedClock } from '#test/support/fs/log-world.ts';
import { recording } from '#test/support/fs/faults.ts';
import { memoryFs } from '#test/support/fs/memory-fs.ts';

const DIR = '/data/blobs';
const DAY = 86_400_000;
const open = async (fs: Parameters<typeof openBlobStore>[0], clock = fixedClock()): Promise<BlobStore> => {
  const opened = await openBlobStore(fs, DIR, clock);
  if (!opened.ok) throw new Error(opened.error.code);
  return opened.value;
};
const put = async (store: BlobStore, text: string): Promise<Hash> => {
  const done = await store.put(Buffer.from(text));
  if (!done.ok) throw new Error(done.error.code);
  return done.value;
};
const pathOf = (hash: Hash) => `${DIR}/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`;

describe('the blob store', () => {
  it('gives back what was put, by the hash of its bytes, once', async () => {
    const fs = memoryFs();
    const store = await open(fs);
    const hash = await put(store, 'bytes');
    expect(hash).toBe(createHash('sha256').update('bytes').digest('hex'));
    expect(await put(store, 'bytes')).toBe(hash);
    const got = await store.get(hash);
    expect(got.ok && Buffer.from(got.value).toString()).toBe('bytes');
    expect(await store.sizeOf(hash)).toBe(5);
    expect(await fs.readdir(`${DIR}/tmp`)).toEqual([]);
  });

  it('finds a flipped bit at every byte, and the next put of the good bytes mends it [I3] [F4]', async () => {
    const fs = memoryFs();
    const store = await open(fs);
    const hash = await put(store, 'the bytes of a file, long enough');
    const good = Buffer.from(await fs.readFile(pathOf(hash)));
    const file = await fs.open(pathOf(hash), 'r+');
    for (let i = 0; i < good.length; i++) {
      const bad = Buffer.from(good);
      bad[i]! ^= 1 << (i % 8);
      await file.write(bad, 0);
      expect(await store.get(hash)).toEqual({ ok: false, error: { code: 'blob.damaged', params: { hash } } });
      expect((await store.pathOf(hash)).ok).toBe(false);
      await file.write(good, 0);
    }
    await file.truncate(3);
    expect(await put(store, 'the bytes of a file, long enough')).toBe(hash);
    expect((await store.get(hash)).ok).toBe(true);
  });

  it('removes temps that a kill left, and nothing else [I12]', async () => {
    const fs = memoryFs();
    await open(fs);
    await (await fs.open(`${DIR}/tmp/.tmp-left`, 'wx')).write(Buffer.from('half'), 0);
    await (await fs.open(`${DIR}/tmp/not-ours`, 'wx')).write(Buffer.from('x'), 0);
    await open(fs);
    expect((await fs.readdir(`${DIR}/tmp`)).map((e) => e.name)).toEqual(['not-ours']);
  });

  it('copies a read-only file', async () => {
    const fs = memoryFs();
    await fs.mkdir('/w');
    await (await fs.open('/w/a', 'wx', 0o444)).write(Buffer.from('read only'), 0);
    const watched = recording(fs);
    const done = await (await open(watched)).putFile('/w/a');
    expect(done.ok && done.value.size).toBe(9);
    const names = watched.calls.map((c) => c.name);
    expect(names.indexOf('chmod')).toBeLessThan(names.indexOf('open'));
  });

  it('sweeps what nothing needs, and brings it back when it is put or asked for again', async () => {
    const fs = memoryFs();
    const store = await open(fs);
    const [a, b, c] = [await put(store, 'a'), await put(store, 'bb'), await put(store, 'ccc')];
    expect(await store.sweep((h) => h === a)).toEqual({ swept: 2, bytes: 5, purged: 0 });
    expect([await store.has(a), await store.has(b), await store.has(c)]).toEqual([true, false, false]);
    const watched = recording(fs);
    const again = await open(watched);
    expect(await put(again, 'bb')).toBe(b);
    expect(await fs.readdir('/data/blobs/.swept/2026-01-01').then((l) => l.map((e) => e.name))).toEqual([c]);
    const got = await again.get(c);
    expect(got.ok && Buffer.from(got.value).toString()).toBe('ccc');
    expect(watched.calls.some((call) => call.name === 'file.write')).toBe(false);
    expect(await fs.readdir('/data/blobs/.swept/2026-01-01')).toEqual([]);
  });

  it('forgets a swept blob after 30 days, not before, and never because a clock went back', async () => {
    const fs = memoryFs();
    const clock = fixedClock();
    const store = await open(fs, clock);
    const a = await put(store, 'a');
    await store.sweep(() => false);
    for (const [days, purged] of [[-4000, 0], [29, 0], [30, 0], [32, 1]] as const) {
      clock.set(Date.UTC(2026, 0, 1) + days * DAY);
      expect((await store.sweep(() => false)).purged, `after ${days} days`).toBe(purged);
    }
    expect((await store.get(a)).ok).toBe(false);
  });

  it('[I3] gives a swept blob back that is needed again when its 30 days are over, also when another copy was put meanwhile', async () => {
    const fs = memoryFs();
    const clock = fixedClock();
    const store = await open(fs, clock);
    const [a, b] = [await put(store, 'a'), await put(store, 'bb')];
    await store.sweep(() => false);
    expect([await store.sizeOf(a), await store.sizeOf(b)]).toEqual([1, 2]);
    clock.set(Date.UTC(2026, 0, 1) + 40 * DAY);
    expect(await store.sweep((h) => h === a)).toEqual({ swept: 0, bytes: 0, purged: 1 });
    expect([await store.has(a), (await store.get(a)).ok, (await store.get(b)).ok]).toEqual([true, true, false]);
    expect(await fs.readdir('/data/blobs/.swept')).toEqual([]);
  });

  it('never sweeps a blob while it is put: one waits for the other', async () => {
    for (let round = 0; round < 50; round++) {
      const fs = memoryFs();
      const store = await open(fs);
      const needed = new Set<Hash>();
      const texts = Array.from({ length: 8 }, (_, i) => `blob ${round} ${i}`);
      for (const text of texts) needed.add(createHash('sha256').update(text).digest('hex') as Hash);
      const puts: Promise<Hash>[] = [];
      const sweeps: Promise<unknown>[] = [];
      for (const [i, text] of texts.entries()) {
        puts.push(put(store, text));
        if (i % 3 === round % 3) {
          sweeps.push(store.sweep((h) => needed.has(h)));
        }
      }
      await Promise.all([...puts, ...sweeps]);
      for (const hash of await Promise.all(puts)) expect((await store.get(hash)).ok).toBe(true);
    }
  });

  it('lets no put begin before a sweep has ended', async () => {
    const fs = memoryFs();
    const order: string[] = [];
    const watched = recording(fs);
    const store = await open(watched);
    const hash = await put(store, 'same bytes');
    const sweep = store.sweep(() => false).then(() => order.push('swept'));
    const again = put(store, 'same bytes').then(() => order.push('put'));
    await Promise.all([sweep, again]);
    expect(order).toEqual(['swept', 'put']);
    expect((await store.get(hash)).ok).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { checkLine, isLostPage } from '#main/log/line.ts';
import { copyTree } from '#test/support/fs/crash.ts';
import { failing } from '#test/support/fs/faults.ts';
import { someLog } from '#test/support/fs/log-bytes.ts';
import { appendIds, idsOf, message, openLog, seeded } from '#test/support/fs/log-world.ts';
import { memoryFs, type MemoryFs } from '#test/support/fs/memory-fs.ts';
import { DIR } from '#test/support/fs/workloads.ts';

async function put(fs: MemoryFs, path: string, bytes: Uint8Array): Promise<void> {
  const file = await fs.open(path, 'w');
  await file.write(bytes, 0);
}

describe('a torn tail', () => {
  it('cut at every byte of the last three records: everything before is read, the rest is kept, new events append [case 49] [I1] [I7] [I8] [F3]', { timeout: 60_000 }, async () => {
    const { fs: base, path, bytes, ids, starts } = await someLog(20);
    for (let cut = starts[17]!; cut < bytes.length; cut++) {
      const fs = memoryFs(copyTree(base.root));
      await put(fs, path, bytes.subarray(0, cut));
      const log = await openLog(fs, DIR);
      const whole = starts.findLastIndex((s) => s <= cut);
      const label = `cut at byte ${cut}`;
      expect(log.mode, label).toBe('open');
      expect(await idsOf(log), label).toEqual(ids.slice(0, whole));
      const rest = cut - starts[whole]!;
      if (rest === 0) expect(log.findings, label).toEqual([]);
      else {
        const [finding] = log.findings;
        if (finding?.kind !== 'tornTail') throw new Error(label);
        expect(finding.bytes, label).toBe(rest);
        expect(Buffer.from(await fs.readFile(finding.copy)).equals(bytes.subarray(starts[whole]!, cut)), label).toBe(true);
      }
      const more = (await appendIds(log, [message('clean')])) as string[];
      await log.close();
      const again = await openLog(fs, DIR);
      expect(again.findings, label).toEqual([]);
      expect(await idsOf(again), label).toEqual([...ids.slice(0, whole), ...more]);
    }
  });

  it('1 to 4096 zero or random bytes behind the end are never an event and never hide one [I7] [I8] [F3]', { timeout: 60_000 }, async () => {
    const { fs: base, path, bytes, ids } = await someLog(20);
    const random = seeded(49);
    for (let i = 0; i < 200; i++) {
      const length = i < 20 ? i + 1 : 1 + random.below(4096);
      const tail = i % 2 ? random.bytes(length) : new Uint8Array(length);
      const fs = memoryFs(copyTree(base.root));
      await put(fs, path, Buffer.concat([bytes, tail]));
      const log = await openLog(fs, DIR);
      expect(log.findings, `tail ${i}`).toHaveLength(1);
      expect(await idsOf(log), `tail ${i}`).toEqual(ids);
      if (i % 2 === 0) expect([log.mode, log.findings[0]!.kind], `tail ${i}`).toEqual(['open', 'tornTail']);
      else if (log.mode === 'readOnly') expect(Buffer.from(await fs.readFile(path)).length, 'damage is never cut').toBe(bytes.length + length);
    }
  });

  it('where only the last anchored line is cut off, at any byte, all before it stands, what is left is kept, nothing is cut, and the log goes on in a fresh origin [I8] [case 49]', async () => {
    const { fs: base, path, bytes, ids, origin, h, starts } = await someLog(20);
    const anchors = { [origin]: { seq: 20, h: h as never } };
    for (let end = starts[19]! + 1; end < bytes.length; end++) {
      const disk = memoryFs(copyTree(base.root));
      await put(disk, path, bytes.subarray(0, end));
      const log = await openLog(disk, DIR, { anchors });
      expect([log.mode, log.origin === origin, log.findings.map((f) => f.kind)], `cut at ${end}`).toEqual(['open', false, ['lostRecord']]);
      expect((await idsOf(log)).slice(0, 19)).toEqual(ids.slice(0, 19));
      const [finding] = log.findings;
      expect(finding?.kind === 'lostRecord' && Buffer.from(await disk.readFile(finding.copy)).equals(bytes.subarray(starts[19], end))).toBe(true);
      expect((await log.append([message('more')]).durable).ok).toBe(true);
      await log.close();
      expect((await disk.readFile(path)).length).toBe(end);
      // Told once; the next start goes on where this one was, and gives no seq twice.
      const again = await openLog(disk, DIR, { anchors });
      expect([again.mode, again.origin, again.findings]).toEqual(['open', log.origin, []]);
      expect(again.head().moment).toMatchObject({ [origin]: 19, [log.origin]: 2 });
      await again.close();
    }
  });

  it('a lost end on a disk that refuses is readable, and is told until something durable stands behind it [I8] [case 51]', async () => {
    const { fs: base, path, bytes, ids, origin, h } = await someLog(20);
    const anchors = { [origin]: { seq: 20, h: h as never } };
    for (const only of [(name: string) => name === 'file.write', (name: string) => /^file\.(write|writeNow)$/.test(name), (name: string) => name === 'file.writeNow', (name: string) => /datasync/.test(name)]) {
      const disk = memoryFs(copyTree(base.root));
      await put(disk, path, bytes.subarray(0, bytes.length - 20));
      const refused = await openLog(failing(disk, { nth: 1, errno: 'ENOSPC', times: 'ever', only: (c) => only(c.name) }), DIR, { anchors });
      expect([refused.mode, refused.findings.map((f) => f.kind)]).toEqual(['readOnly', ['lostRecord']]);
      expect(await idsOf(refused)).toEqual(ids.slice(0, 19));
      await refused.close();
      const log = await openLog(disk, DIR, { anchors });
      expect([log.mode, log.findings.map((f) => f.kind)]).toEqual(['open', ['lostRecord']]);
      await log.close();
      expect((await openLog(disk, DIR, { anchors })).findings).toEqual([]);
    }
  });

  it('where more than the last anchored line is missing it is damage, never a torn tail, and is not cut [I8] [case 53]', async () => {
    const { fs, path, bytes, ids, origin, h, starts } = await someLog(20);
    await put(fs, path, bytes.subarray(0, starts[19]! - 20));
    const log = await openLog(fs, DIR, { anchors: { [origin]: { seq: 20, h: h as never } } });
    expect(log.mode).toBe('readOnly');
    expect(log.findings.map((f) => f.kind)).toEqual(['damage', 'missingEnd']);
    expect(await idsOf(log)).toEqual(ids.slice(0, 18));
    expect((await fs.readFile(path)).length).toBe(starts[19]! - 20);
  });

  it('on a full disk is left as it is and the rest is readable [case 51]', async () => {
    const { fs, path, bytes, ids } = await someLog(20);
    await put(fs, path, bytes.subarray(0, bytes.length - 20));
    const full = failing(fs, { nth: 1, errno: 'ENOSPC', times: 'ever', only: (c) => c.name === 'file.write' || c.name === 'mkdir' });
    const log = await openLog(full, DIR);
    expect([log.mode, log.findings[0]?.kind]).toEqual(['readOnly', 'tornTail']);
    expect(await idsOf(log)).toEqual(ids.slice(0, 19));
    expect((await fs.readFile(path)).length).toBe(bytes.length - 20);
    expect((await openLog(fs, DIR)).mode).toBe('open');
  });
});

describe('rot', () => {
  it('a flipped bit at every byte of a 200-event log is found by its line; opening reads the events before it and cuts nothing [I2] [I8] [F4] [case 53]', { timeout: 300_000 }, async () => {
    const { fs: base, path, bytes, ids, starts } = await someLog(200);
    const random = seeded(4);
    const bad = Buffer.from(bytes);
    let number = 0;
    let opened = 0;
    for (let at = 0; at < bytes.length; at++) {
      bad[at - 1] = bytes[at - 1]!;
      bad[at]! ^= 1 << random.below(8);
      while (starts[number + 1]! <= at) number++;
      // The newline with the line after it. The whole log: log-flips.test.ts.
      const end = bytes[at] === 10 ? (starts[number + 2] ?? bytes.length) : starts[number + 1]!;
      expect(checkLine(bad.subarray(starts[number]!, end), null).ok, `bit at byte ${at}`).toBe(false);
      // Opening is not asked to find what lies before the last blocks; what it reads must be right.
      if (at % (process.env['NIGHTLY'] ? 7 : 77) !== 0 && at < bytes.length - 3) continue;
      opened++;
      const fs = memoryFs(copyTree(base.root));
      await put(fs, path, bad);
      const log = await openLog(fs, DIR);
      const read = await idsOf(log);
      expect(read.slice(0, number), `bit at byte ${at}`).toEqual(ids.slice(0, number));
      expect(Buffer.from(await fs.readFile(path)).equals(bad), `bit at byte ${at}: damage is never cut`).toBe(true);
    }
    console.log(`bit flips: ${bytes.length} of ${bytes.length} found by the line, ${opened} opened`);
  });

  it('tells a page that was never written from a byte that rotted to zero', () => {
    const line = Buffer.alloc(2000, 0x61);
    line[100] = 0;
    expect(isLostPage(line, 0, 2000)).toBe(false);
    line.fill(0, 0, 512);
    expect(isLostPage(line, 0, 2000)).toBe(true);
    expect(isLostPage(line, 100, 2100)).toBe(false);
    line.fill(0, 1536);
    expect(isLostPage(line, 0, 2000)).toBe(true);
  });
});

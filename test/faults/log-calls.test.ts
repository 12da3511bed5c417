import { describe, expect, it } from 'vitest';
import type { FsPort } from '#main/ports/fs.ts';
import { copyTree } from '#test/support/fs/crash.ts';
import { failing, shortWrites } from '#test/support/fs/faults.ts';
import { appendIds, idsOf, message, openLog, seeded } from '#test/support/fs/log-world.ts';
import { memoryFs, type MemoryFs } from '#test/support/fs/memory-fs.ts';
import { append, appendSlowly, blobThenEvent, DATA, DIR, erase, fillSegment, judge, putFile, rollOver, sweepAndBack, type Workload } from '#test/support/fs/workloads.ts';

const ERRORS = ['ENOSPC', 'EIO', 'EACCES', 'EMFILE', 'EROFS'] as const;

async function disk(): Promise<MemoryFs> {
  const fs = memoryFs();
  await fs.mkdir(DATA);
  return fs;
}

async function segments(fs: MemoryFs): Promise<number> {
  const [origin] = await fs.readdir(`${DIR}/log`);
  return (await fs.readdir(`${DIR}/log/${origin!.name}`)).filter((e) => e.name.endsWith('.jsonl')).length;
}

interface Plan {
  readonly errors?: readonly string[];
  /** What is on the disk before. */
  readonly before?: () => Promise<{ fs: MemoryFs; acks: readonly string[] }>;
}

/** Fails every call in turn until a run gets by without reaching the nth; judges the disk after each. */
async function everyCall(workload: Workload, plan: Plan = {}): Promise<number> {
  let faults = 0;
  for (const errno of plan.errors ?? ERRORS) {
    for (const times of ['once', 'ever'] as const) {
      for (let nth = 1; ; nth++) {
        const { fs, acks } = plan.before ? await plan.before() : { fs: await disk(), acks: [] };
        const port = failing(fs, { nth, errno, times });
        const acked = [...acks];
        const label = `${errno} ${times} at call ${nth}`;
        await workload(port, (what) => acked.push(what)).catch((cause: unknown) => {
          if (!/made by a test|log\.|EXIST/.test(String(cause))) throw new Error(label, { cause });
        });
        if (!port.failed()) break;
        faults++;
        expect(await judge(fs, acked).catch((cause: unknown) => String(cause)), label).toBe(null);
      }
    }
  }
  return faults;
}

describe('any call fails, once or for ever', () => {
  const all: readonly (readonly [string, Workload])[] = [['open and append', append], ['open and append on a slow disk', appendSlowly], ['blob put', blobThenEvent], ['putFile', putFile], ['sweep and put again', sweepAndBack], ['erase', erase]];
  for (const [name, workload] of all) {
    it(`${name}: nothing acknowledged is lost, nothing silently succeeds [I1] [I2] [I3] [I7] [F5] [F6]`, { timeout: 120_000 }, async () => {
      const faults = await everyCall(workload);
      console.log(`every call, ${name}: ${faults} faults`);
      expect(faults).toBeGreaterThan(100);
    });
  }

  it('segment roll: nothing acknowledged is lost [I1] [I2] [F5] [F6]', { timeout: 120_000 }, async () => {
    const full = await disk();
    const acks: string[] = [];
    await fillSegment(full, (what) => acks.push(what));
    const calm = memoryFs(copyTree(full.root));
    await rollOver(calm, () => undefined);
    expect([await segments(full), await segments(calm)]).toEqual([1, 2]);
    const faults = await everyCall(rollOver, { before: async () => ({ fs: memoryFs(copyTree(full.root)), acks }) });
    console.log(`every call, roll: ${faults} faults`);
    expect(faults).toBeGreaterThan(200);
  });

  it('recovery from a torn tail and an unfinished erasure: what is good stays readable, the next start finishes [I1] [I8] [F14]', { timeout: 120_000 }, async () => {
    const damaged = await disk();
    const acks: string[] = [];
    await erase(damaged, (what) => acks.push(what));
    const { origin } = await openLog(damaged, DIR);
    const segment = `${DIR}/log/${origin}/00000002.jsonl`;
    const file = await damaged.open(segment, 'r+');
    await file.write(Buffer.from('{"h":"half a line'), (await file.stat()).size);
    await (await damaged.open(`${DIR}/log/${origin}/.tmp-left`, 'wx')).write(Buffer.from('left'), 0);
    const before = async () => ({ fs: memoryFs(copyTree(damaged.root)), acks });
    const faults = await everyCall(append, { before });
    console.log(`every call, recovery: ${faults} faults`);
    expect(faults).toBeGreaterThan(100);
  });

  it('a short write at every place is taken back [I1] [I7] [F5]', { timeout: 60_000 }, async () => {
    let shorts = 0;
    for (const workload of [append, blobThenEvent, erase]) {
      for (let nth = 1; ; nth++) {
        const fs = await disk();
        const port = shortWrites(fs, nth);
        const acked: string[] = [];
        await workload(port, (what) => acked.push(what)).catch(() => undefined);
        if (!port.failed()) break;
        shorts++;
        expect(await judge(fs, acked), `short write ${nth}`).toBe(null);
      }
    }
    expect(shorts).toBeGreaterThan(20);
  });
});

describe('a disk that comes back', () => {
  for (const errno of ['ENOSPC', 'EIO', 'EDQUOT'] as const) {
    it(`${errno}: the log goes on without a restart, the failed lines are gone, the others are all there [case 51] [R8]`, async () => {
      for (let nth = 1; ; nth++) {
        const fs = await disk();
        const first = await openLog(fs, DIR);
        const before = (await appendIds(first, [message('before')])) as string[];
        await first.close();
        const port = failing(fs, { nth, errno, times: 'ever', only: (c) => ['file.writeNow', 'file.write', 'file.datasync'].includes(c.name) || (c.name === 'open' && /[wa]/.test(String(c.args[1]))) });
        const opened = await openLog(port as FsPort, DIR, { random: seeded(3) });
        const acked = [...before];
        const failures: string[] = [];
        for (let i = 0; i < 8; i++) {
          const done = await appendIds(opened, [message(`m${i}`)]);
          if (typeof done === 'string') failures.push(done);
          else acked.push(...done);
        }
        if (!port.failed()) {
          expect(nth).toBeGreaterThan(12);
          break;
        }
        port.heal();
        if (opened.mode === 'open') {
          const back = await appendIds(opened, [message('back')]);
          expect(back, `call ${nth}`).toHaveLength(1);
          acked.push(...(back as string[]));
        }
        for (const code of failures) expect(code, `call ${nth}`).toBe(errno === 'EIO' ? 'log.io' : 'log.full');
        expect(await idsOf(opened), `call ${nth}`).toEqual(acked);
        await opened.close();
        expect(await judge(fs, acked), `call ${nth}`).toBe(null);
      }
    });
  }
});

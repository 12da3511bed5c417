import { describe, expect, it } from 'vitest';
import { ok } from '#domain/result.ts';
import { hashOf } from '#main/changes/look.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { judgeChange, toldBy, type Told } from '#test/support/changes/judge.ts';
import { goldOf, SCENARIOS, type Gold } from '#test/support/changes/scenarios.ts';
import { endRun, openStage, type Stage, type StageBugs } from '#test/support/changes/stage.ts';
import { watched } from '#test/support/fs/calls.ts';
import { copyTree, crashStates } from '#test/support/fs/crash.ts';
import { failing } from '#test/support/fs/faults.ts';
import { memoryFs, type MemoryFs } from '#test/support/fs/memory-fs.ts';
import { DATA } from '#test/support/fs/workloads.ts';

interface Outcome {
  readonly states: number;
  /** What is wrong, state by state. */
  readonly bad: readonly string[];
}

type Bug = StageBugs & { readonly port?: (disk: MemoryFs) => FsPort };

/** Runs one change on a recorded disk and judges every state that a power loss could leave. */
async function powerLoss(gold: Gold, bug: Bug = {}): Promise<Outcome> {
  const disk = memoryFs(copyTree(gold.disk));
  const stage = await openStage(bug.port?.(disk) ?? disk, bug);
  const result = await stage.partner.changes.apply(gold.request);
  if (!result.ok) throw new Error(result.error.code);
  disk.ack('done');
  await endRun(stage);
  let states = 0;
  const bad: string[] = [];
  for (const { fs, acked, label } of crashStates(disk.trace, { base: gold.disk })) {
    states++;
    const wrong = await judgeChange(fs, gold, acked.length > 0 ? 'done' : 'nothing').catch((cause: unknown) => String(cause));
    if (wrong !== null) bad.push(`${label}: ${wrong}`);
  }
  return { states, bad };
}

describe('power loss at every call of a change', () => {
  for (const scenario of SCENARIOS)
    it(`${scenario.name}: the file is old or new, its old bytes are kept first, what was acknowledged stays, the next start settles and sweeps [I3] [I4] [I5] [I6] [I12] [F2]`, { timeout: 120_000 }, async () => {
      const { states, bad } = await powerLoss(await goldOf(scenario));
      console.log(`power loss, ${scenario.name}: ${states} states`);
      expect(bad).toEqual([]);
      expect(states).toBeGreaterThan(8);
    });
});

/** Fails one change at every call in turn, lets `then` go on from there, and judges what a power loss leaves after that. */
async function afterFault(times: 'once' | 'ever', then: (disk: MemoryFs, stage: Stage, code: string) => Promise<Told>): Promise<number> {
  let states = 0;
  for (const scenario of SCENARIOS) {
    const gold = await goldOf(scenario);
    for (let nth = 1; ; nth++) {
      const disk = memoryFs(copyTree(gold.disk));
      let armed = false;
      const port = failing(disk, { nth, errno: 'EIO', times, only: () => armed });
      const stage = await openStage(port);
      armed = true;
      const result = await stage.partner.changes.apply(gold.request);
      if (!port.failed()) break;
      const told = await then(disk, stage, result.ok ? 'ok' : result.error.code);
      for (const { fs, label } of crashStates(disk.trace, { base: gold.disk, from: disk.trace.length })) {
        states++;
        expect(await judgeChange(fs, gold, told).catch((cause: unknown) => String(cause)), `${scenario.name}, call ${nth}, ${told}, then ${label}`).toBe(null);
      }
    }
  }
  return states;
}

describe('power loss after a change that did not go well', () => {
  it('killed at any call and settled by a start: what was settled is durable, and so is its sweep [I4] [I5] [I12] [F2] [F14]', { timeout: 120_000 }, async () => {
    const states = await afterFault('ever', async (disk) => (await openStage(disk), 'nothing'));
    console.log(`power loss after settling: ${states} states`);
    expect(states).toBeGreaterThan(500);
  });

  it('one failure at any call, and the run went on to its end: what was answered is durable, and nothing of ours comes back [I4] [I5] [I12] [F2] [F5]', { timeout: 120_000 }, async () => {
    const states = await afterFault('once', async (_disk, stage, code) => {
      const told = toldBy(code);
      if (told === 'done' || told === 'refused') await endRun(stage);
      return told;
    });
    console.log(`power loss after one failure: ${states} states`);
    expect(states).toBeGreaterThan(500);
  });
});

/** Calls on the person's folders and the trash, not on the product's own data. */
const theirs = (name: string, file = '') => (disk: MemoryFs): FsPort =>
  watched(disk, { instead: (c) => (c.name === name && !c.path.startsWith(DATA) && c.path.includes(file) ? () => undefined : undefined) });

/** Bytes are kept when all is done, not first. */
function lateBlobs(): StageBugs {
  const late: (() => Promise<unknown>)[] = [];
  return {
    blobs: (real) => ({
      ...bound(real),
      put: async (bytes) => {
        const copy = Uint8Array.from(bytes);
        late.push(() => real.put(copy));
        return ok(hashOf(copy));
      },
    }),
    journal: (real) => ({
      ...real,
      changed: async (...args) => {
        for (const put of late.splice(0)) await put();
        return real.changed(...args);
      },
    }),
  };
}

const bound = <T extends object>(of: T): T => new Proxy(of, { get: (on, key) => {
  const value = Reflect.get(on, key) as unknown;
  return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(on) : value;
} });

describe('planted bugs are caught by the same states', () => {
  const latePlan = (): StageBugs => {
    const plans: (() => Promise<unknown>)[] = [];
    return {
      journal: (real) => ({
        ...real,
        planned: async (...args) => (plans.push(() => real.planned(...args)), ok()),
        changed: async (...args) => {
          for (const plan of plans.splice(0)) await plan();
          return real.changed(...args);
        },
      }),
    };
  };
  const planted: readonly (readonly [string, string, () => Bug, RegExp])[] = [
    ['a temp that takes the name before it is synced', 'write', () => ({ port: theirs('file.sync', '.curator-') }), /neither old nor new/],
    ['a new file that takes its name before it is synced', 'create', () => ({ port: theirs('file.sync', '.curator-') }), /neither old nor new/],
    ['no fsync of the folder after the swap', 'write', () => ({ port: theirs('syncDir') }), /the log says changed, the disk is before/],
    ['no fsync of a new folder\'s name', 'mkdir', () => ({ port: theirs('syncDir') }), /the log says changed, the disk is before/],
    ['no fsync of the new name before the old one goes', 'move', () => ({ port: theirs('syncDir') }), /neither before nor after|lies nowhere else/],
    ['no fsync of the folders of a trash that is new', 'trash', () => ({ port: theirs('syncDir') }), /lies nowhere else/],
    ['no fsync of a file that is written in place', 'write in place', () => ({ port: theirs('file.sync') }), /the log says changed/],
    ['the old bytes kept after they are replaced', 'write', lateBlobs, /before its bytes were kept/],
    ['the old bytes kept after they are written over', 'write in place', lateBlobs, /before its bytes were kept/],
    ['the plan written down after the deed', 'write', latePlan, /the log says none/],
  ];
  for (const [name, scenario, bug, says] of planted)
    it(`${name} [F2]`, { timeout: 120_000 }, async () => {
      const { states, bad } = await powerLoss(await goldOf(SCENARIOS.find((one) => one.name === scenario)!), bug());
      console.log(`planted, ${name}: ${bad.length} of ${states} states bad`);
      expect(bad.some((one) => says.test(one)), bad[0]).toBe(true);
    });
});

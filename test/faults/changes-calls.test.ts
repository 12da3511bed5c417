import { describe, expect, it } from 'vitest';
import { judgeChange, toldBy } from '#test/support/changes/judge.ts';
import { goldOf, SCENARIOS, type Gold } from '#test/support/changes/scenarios.ts';
import { endRun, openStage, WORK } from '#test/support/changes/stage.ts';
import { theirsIn, treeOf } from '#test/support/changes/tree.ts';
import { copyTree } from '#test/support/fs/crash.ts';
import { DISK_FAULTS, failing } from '#test/support/fs/faults.ts';
import { memoryFs } from '#test/support/fs/memory-fs.ts';

type Fault = (typeof DISK_FAULTS)[number];

/** One change with one fault below everything: the file, the blob store and the log. False when the fault was not reached. */
async function disturbed(gold: Gold, fault: Fault, nth: number): Promise<boolean> {
  const label = `${fault.name} at call ${nth}`;
  const disk = memoryFs(copyTree(gold.disk));
  let armed = false;
  const port = failing(disk, { ...fault, nth, only: (call) => armed && fault.fits(call) });
  const stage = await openStage(port);
  armed = true;
  const result = await stage.partner.changes.apply(gold.request).catch((cause: unknown) => {
    throw new Error(`${label}: thrown, not answered`, { cause });
  });
  port.heal();
  if (!port.failed()) return false;
  const code = result.ok ? 'ok' : result.error.code;
  expect(code, label).toMatch(/^(?:ok|(?:change|blob|log|trash)\.[a-zA-Z]+)$/);
  const told = toldBy(code);
  const found = theirsIn(treeOf(disk.root, WORK));
  if (told !== 'unsettled') expect(found, `${label}: ${code}`).toEqual(theirsIn(told === 'refused' ? gold.before : gold.after));
  // One failure can be taken back; only more of them leave it open.
  else expect(fault.times, label).toBe('ever');
  if (code === 'ok' || (told === 'refused' && fault.times === 'once')) await endRun(stage);
  // The next start, on a copy: this process goes on too.
  expect(await judgeChange(memoryFs(copyTree(disk.root)), gold, told).catch((cause: unknown) => String(cause)), `${label}: ${code}`).toBe(null);
  if (told !== 'refused' || stage.partner.log.mode !== 'open') return true;
  const again = await stage.partner.changes.apply(gold.request);
  expect(again.ok ? 'ok' : again.error.code, `${label}: ${code}, then again`).toBe('ok');
  expect(theirsIn(treeOf(disk.root, WORK)), `${label}: ${code}, then again`).toEqual(theirsIn(gold.after));
  return true;
}

describe('[WA-TESTWRITE-06] [WB-APPLY-003-B1] a disk that fails at call n below the file, the blob store and the log', () => {
  for (const scenario of SCENARIOS)
    it(`${scenario.name}: the file is old or new, the answer says which, the next start agrees and sweeps, and another try finishes [I3] [I4] [I5] [I6] [I12] [F5] [F6] [F12]`, { timeout: 300_000 }, async () => {
      const gold = await goldOf(scenario);
      let faults = 0;
      for (const fault of DISK_FAULTS) for (let nth = 1; await disturbed(gold, fault, nth); nth++) faults++;
      console.log(`every call, ${scenario.name}: ${faults} faults`);
      expect(faults).toBeGreaterThan(50);
    });
});

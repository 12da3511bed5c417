import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PartnerId, RunId } from '#domain/ids.ts';
import type { RevertReport } from '#main/api/views.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { treeOf } from '#test/support/changes/tree.ts';
import { copyTree } from '#test/support/fs/crash.ts';
import { DISK_FAULTS, failing } from '#test/support/fs/faults.ts';
import { memoryFs, type Node } from '#test/support/fs/memory-fs.ts';
import { startFakeOpenAI } from '#test/support/fake-openai/server.ts';
import { World } from '#test/support/workbench/world.ts';

const FILES = ['a.md', 'b.md', 'c.md'];
/** All at night: what differs between errors is looked at change by change in `changes-calls.test.ts`. */
const FAULTS = DISK_FAULTS.filter(({ name }) => process.env['NIGHTLY'] || ['ENOSPC once', 'EIO ever', 'a failing flush once', 'a short write once'].includes(name));

let world: World;
/** The disk after a run that changed three files, closed in peace. */
let after: Node;
let partner: PartnerId;
let run: RunId;

beforeAll(async () => {
  const edit = (path: string) => ({ name: 'edit_file', args: { path, edits: [{ oldText: 'one', newText: 'two' }] } });
  const fake = await startFakeOpenAI({ models: ['fake'], turns: [{ steps: [{ text: 'three edits' }, { tools: FILES.map(edit) }] }, { steps: [{ text: 'done' }] }] });
  world = new World();
  const disk = memoryFs();
  await disk.mkdir(world.work, { recursive: true });
  for (const name of FILES) await (await disk.open(`${world.work}/${name}`, 'wx', 0o644)).write(Buffer.from('one\n'), 0);
  await world.start({ fs: disk });
  await world.provider(fake.baseURL);
  await world.address('direct');
  const talk = await world.partner();
  partner = talk.id;
  run = await talk.send('start');
  expect(await talk.ended(run)).toMatchObject({ status: 'completed' });
  await world.workbench.close();
  await fake.close();
  after = copyTree(disk.root);
});
afterAll(() => world.close());

const revert = async (): Promise<RevertReport | string> => {
  const done = await world.api.call['change.revert']({ partner, run });
  return done.ok ? done.value : done.error.code;
};
/** What stands in the three files. */
const files = (root: Node): string[] => FILES.map((name) => treeOf(root, world.work).get(`${world.work}/${name}`)?.bytes ?? '');

/** Opens on a disk, and closes whatever comes. */
async function open(fs: FsPort, deed: () => Promise<void>): Promise<void> {
  await world.start({ fs });
  try {
    await deed();
  } finally {
    await world.workbench.close();
  }
}

/** Compares what was reported of each file with the file. True when the caller was told to try again. */
function truthful(report: RevertReport | string, root: Node, label: string): boolean {
  if (typeof report === 'string') {
    expect(files(root), `${label}: ${report}`).toEqual(FILES.map(() => 'two\n'));
    return true;
  }
  const texts = files(root);
  expect(report.items, label).toHaveLength(FILES.length);
  for (const item of report.items) {
    const text = texts[FILES.findIndex((name) => item.path.endsWith(name))];
    const note = `${label}: ${item.path} ${item.state} ${item.failure?.code}`;
    if (item.state === 'done') expect([text, item.failure], note).toEqual(['one\n', null]);
    else if (item.failure?.code === 'change.unsettled') expect(['one\n', 'two\n'], note).toContain(text);
    else expect([item.state, text], note).toEqual(['failed', item.failure?.code === 'change.unrecorded' ? 'one\n' : 'two\n']);
  }
  expect([report.changed, report.conflicts], label).toEqual([report.items.filter((one) => one.state === 'done').length, 0]);
  return report.changed < FILES.length;
}

async function disturbed(fault: (typeof FAULTS)[number], nth: number): Promise<boolean> {
  const label = `${fault.name} at call ${nth}`;
  const disk = memoryFs(copyTree(after));
  let armed = false;
  const port = failing(disk, { ...fault, nth, only: (call) => armed && fault.fits(call) });
  await open(port, async () => {
    armed = true;
    const first = await revert();
    port.heal();
    const more = truthful(first, disk.root, label);
    const unsure = typeof first !== 'string' && first.items.some((one) => /unsettled|unrecorded/.test(one.failure?.code ?? ''));
    if (!more || unsure || world.workbench.partners.all()[0]?.log.mode !== 'open') return;
    // The same wish again, in the same process: only what is left is done.
    expect(await revert(), `${label}, again`).toMatchObject({ changed: typeof first === 'string' ? FILES.length : FILES.length - first.changed, conflicts: 0 });
    expect(files(disk.root), `${label}, again`).toEqual(FILES.map(() => 'one\n'));
  });
  if (!port.failed()) return false;
  await open(disk, async () => {
    const page = await world.api.call['conversation.page']({ partner });
    const records = page.ok ? page.value.turns.flatMap((turn) => turn.records) : [];
    const texts = files(disk.root);
    for (const { path, state } of records) expect(state, `${label}, after the start: ${path}`).toBe(texts[FILES.findIndex((name) => path.endsWith(name))] === 'one\n' ? 'reverted' : 'live');
    expect(records, label).toHaveLength(FILES.length);
    const left = texts.filter((text) => text === 'two\n').length;
    expect(await revert(), `${label}, after the start`).toEqual(left === 0 ? 'revert.noRecord' : expect.objectContaining({ changed: left, conflicts: 0 }));
    expect(files(disk.root), label).toEqual(FILES.map(() => 'one\n'));
    const checked = await world.api.call['verify.run']({});
    expect(checked.ok && checked.value.flatMap((report) => report.problems), label).toEqual([]);
    expect([...treeOf(disk.root, world.work).keys()].sort(), label).toEqual(FILES.map((name) => `${world.work}/${name}`));
  });
  return true;
}

describe('reverting a run of three files on a disk that fails at call n', () => {
  for (const fault of FAULTS)
    it(`${fault.name}: each file's outcome is the truth, and a second try finishes [I4] [I5] [I6] [I12] [F12]`, { timeout: 300_000 }, async () => {
      let faults = 0;
      for (let nth = 1; await disturbed(fault, nth); nth++) faults++;
      console.log(`revert of three files, ${fault.name}: ${faults} faults`);
      expect(faults).toBeGreaterThan(5);
    });
});

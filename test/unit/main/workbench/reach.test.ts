import { expect, it } from 'vitest';
import type { FileStat } from '#main/ports/fs.ts';
import { Reach } from '#main/workbench/reach.ts';
import { DrivenClock } from '#test/support/workbench/clock.ts';

it('a share that does not answer keeps nobody waiting: it shows as it was, and changes when it answers after all', async () => {
  const clock = new DrivenClock();
  const asked: { answer: (stat: FileStat) => void; refuse: (cause: Error) => void }[] = [];
  let changes = 0;
  const reach = new Reach({ stat: () => new Promise((answer, refuse) => asked.push({ answer, refuse })) }, clock, () => changes++);
  const folder = { kind: 'folder' } as FileStat;
  const first = reach.look('/mnt/share');
  clock.advance(400);
  expect(await first).toBe(false);
  asked[0]!.answer(folder);
  await expect.poll(() => changes).toBe(1);
  const quick = reach.look('/mnt/share');
  asked[1]!.answer(folder);
  expect(await quick).toBe(true);
  const slow = reach.look('/mnt/share');
  clock.advance(400);
  expect(await slow).toBe(true);
  asked[2]!.refuse(new Error('gone'));
  await expect.poll(() => changes).toBe(2);
});

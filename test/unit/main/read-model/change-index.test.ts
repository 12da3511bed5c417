import { expect, it } from 'vitest';
import type { ChangeId } from '#domain/ids.ts';
import { newId } from '#main/ports/random.ts';
import { ChangeIndex } from '#main/read-model/change-index.ts';
import { recording } from '#test/support/fs/faults.ts';
import { seeded } from '#test/support/fs/log-world.ts';
import { memoryFs } from '#test/support/fs/memory-fs.ts';

it('knows each change, no other, and goes on from a head that its files got further than', async () => {
  const fs = memoryFs();
  await fs.mkdir('/x', { recursive: true });
  const random = seeded(3);
  const ids: ChangeId[] = Array.from({ length: 40 }, () => newId(random, 'change'));
  const index = await ChangeIndex.open(fs, '/x', null);
  for (const [i, id] of ids.slice(0, 30).entries()) await index.add(id, i, 0, i + 1);
  await index.flush();
  const head = index.counts;
  for (const [i, id] of ids.slice(30).entries()) await index.add(id, 30 + i, 0, 31 + i);
  await index.flush();
  await index.close();

  // The head of the life before: the ten that came after it do not count, until they come again.
  const again = await ChangeIndex.open(fs, '/x', head);
  expect(await Promise.all(ids.map((id) => again.find(id)))).toEqual(ids.map((_, i) => (i < 30 ? i : null)));
  for (const [i, id] of ids.slice(30).entries()) await again.add(id, 30 + i, 0, 31 + i);
  expect(await Promise.all(ids.map((id) => again.find(id)))).toEqual(ids.map((_, i) => i));
  expect(await again.find(newId(random, 'change'))).toBeNull();
  await again.close();
});

it('finds one of 20,000 changes by a chain of a few, not by looking through them', async () => {
  const fs = memoryFs();
  await fs.mkdir('/x', { recursive: true });
  const random = seeded(4);
  const ids: ChangeId[] = Array.from({ length: 20_000 }, () => newId(random, 'change'));
  const index = await ChangeIndex.open(fs, '/x', null);
  for (const [i, id] of ids.entries()) await index.add(id, i, 0, i + 1);
  await index.flush();
  const { counts } = index;
  await index.close();
  const watched = recording(fs);
  const read = await ChangeIndex.open(watched, '/x', counts);
  expect(await read.find(ids[7]!)).toBe(7);
  expect(watched.calls.filter((c) => c.name === 'file.read').length).toBeLessThan(40);
  await read.close();
});

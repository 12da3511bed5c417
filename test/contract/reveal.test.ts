import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ok } from '#domain/result.ts';
import { World } from '../support/workbench/world.ts';

let world: World;
const shown: string[] = [];
beforeEach(async () => {
  world = await World.open();
  await world.address('confirm');
  shown.length = 0;
  vi.spyOn(world.workbench.options.host, 'reveal').mockImplementation(async (path) => (shown.push(path), ok()));
  writeFileSync(join(world.work, 'a.md'), 'x');
  writeFileSync(join(world.base, 'secret.txt'), 'x');
});
afterEach(() => world.close());
const reveal = (path: string) => world.api.call['file.reveal']({ path });

test('[design §5] what was judged is what is shown: names inside an address, resolved', async () => {
  symlinkSync(join(world.work, 'a.md'), join(world.work, 'link.md'));
  const real = realpathSync(join(world.work, 'a.md'));
  for (const path of [join(world.work, 'a.md'), 'a.md', join(world.work, 'link.md'), join(world.work, 'none', '..', 'a.md')]) expect(await reveal(path), path).toMatchObject({ ok: true });
  expect(shown).toEqual([real, real, real, real]);
});
test('nothing outside is shown, however it is written', async () => {
  symlinkSync(world.base, join(world.work, 'out'));
  for (const path of [join(world.base, 'secret.txt'), '../secret.txt', join(world.work, '..', 'secret.txt'), join(world.work, 'out', 'secret.txt'), join(world.data, 'secrets'), join(world.data, 'recovered', '..', 'secrets', 'secrets.key'), `${world.data}-other/recovered/x`, join(world.work, 'a.md') + '\0.txt']) {
    expect(await reveal(path), path).toMatchObject({ ok: false });
  }
  expect(shown).toEqual([]);
});
test('what was cut off a damaged log can be shown', async () => {
  const file = join(world.data, 'partners', 'p', 'recovered', 'tail.jsonl');
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, 'x');
  expect(await reveal(file)).toMatchObject({ ok: true });
  expect(shown).toEqual([file]);
});

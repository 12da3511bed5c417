import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PartnerId } from '#domain/ids.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { failing } from '../support/fs/faults.ts';
import { World } from '../support/workbench/world.ts';

/** Partners while the app's own log cannot be written: nobody is lost, nobody is half there. */

let full = false;
const appLog = failing(createNodeFs(), { nth: 1, errno: 'ENOSPC', times: 'ever', only: (call) => full && call.path.includes('/data/app/') && /write/i.test(call.name) });
let world: World;
const names = async () => {
  const list = await world.api.call['partners.list']({});
  return list.ok ? list.value.map((p) => p.name).sort() : [];
};

beforeEach(async () => {
  full = false;
  world = await World.open({ fs: appLog });
});
afterEach(async () => {
  full = false;
  await world.close();
});

test('a deletion that could not be recorded deletes nothing: the partner goes on', async () => {
  const talk = await world.partner('Maple');
  full = true;
  expect(await world.api.call['partner.delete']({ partner: talk.id })).toMatchObject({ ok: false, error: { code: 'log.full' } });
  full = false;
  expect(await names()).toEqual(['Maple']);
  expect(await talk.ended(await talk.send('are you there?'))).toMatchObject({ status: 'completed' });
});

test('a partner that could not be recorded is not there, now or after a restart', async () => {
  full = true;
  expect(await world.api.call['partner.create']({ name: 'Ghost', face: { shape: 'drop', colour: 'lake' } })).toMatchObject({ ok: false });
  full = false;
  expect(await names()).toEqual([]);
  expect(readdirSync(join(world.data, 'partners'))).toEqual([]);
});

test('a partner that a kill left unlisted is shown also when the app’s log cannot say so, and so are all others', async () => {
  const talk = await world.partner('Maple');
  await world.workbench.close();
  // What a kill between a partner's folder and its listing leaves.
  const unlisted = 'partner_aaaaaaaaaaaaaaaaaaaaaaaaaa';
  cpSync(join(world.data, 'partners', talk.id), join(world.data, 'partners', unlisted), { recursive: true });
  full = true;
  await world.start({ fs: appLog });
  full = false;
  expect(await names()).toEqual(['Maple', 'Maple']);
  const again = world.follow(unlisted as PartnerId);
  expect(await again.ended(await again.send('hello'))).toMatchObject({ status: 'completed' });
});

test('[case 53] a folder that will not go keeps nobody out, and a partner that cannot be opened is a finding of verify', async () => {
  const gone = await world.partner('Gone');
  const maple = await world.partner('Maple');
  await world.api.call['partner.delete']({ partner: gone.id });
  const left = join(world.data, 'partners', `.deleted-${gone.id}`);
  mkdirSync(left);
  writeFileSync(join(left, 'x'), 'x');
  const broken = join(world.data, 'partners', 'partner_aaaaaaaaaaaaaaaaaaaaaaaaaa');
  writeFileSync(broken, 'not a folder');
  await world.workbench.close();
  await world.start({ fs: failing(createNodeFs(), { nth: 1, errno: 'EBUSY', times: 'ever', only: (call) => call.name === 'unlink' && call.path.startsWith(left) }) });
  expect(existsSync(left)).toBe(true);
  expect(await names()).toContain('Maple');
  const checked = await world.api.call['verify.run']({});
  expect(checked.ok && checked.value.find((r) => r.partner === 'partner_aaaaaaaaaaaaaaaaaaaaaaaaaa')?.problems.length).toBe(1);
  expect(checked.ok && checked.value.find((r) => r.partner === maple.id)?.problems).toEqual([]);
});

import { expect, test } from 'vitest';
import type { ProviderId } from '#domain/ids.ts';
import { startFakeOpenAI } from '../support/fake-openai/server.ts';
import { stage } from '../support/workbench/stage.ts';

/** A key belongs to the origin it was entered for. */

const on = stage([], 'confirm');
const CANARY = 'sk-canary-0815-secret';
const keysSeen = (fake: { requests: readonly { headers: Record<string, unknown> }[] }) => [...new Set(fake.requests.map((r) => String(r.headers['authorization'])))];

test('[I13] a stored key never goes to another origin: not when the address is changed, not when it is tried', async () => {
  await on.play([{ times: 'always', steps: [{ text: 'ok' }] }]);
  const stranger = await startFakeOpenAI({ models: ['fake'], turns: [{ times: 'always', steps: [{ text: 'ok' }] }] });
  try {
    await on.talk.ended(await on.talk.send('one'));
    expect(keysSeen(on.fake)).toEqual([`Bearer ${CANARY}`]);
    const id = (await view()).providers[0]!.id as ProviderId;
    await on.world.api.call['provider.test']({ provider: id, baseUrl: stranger.baseURL });
    const change = { provider: id, name: 'Fake', models: ['fake'] };
    expect(await on.world.api.call['provider.change']({ ...change, baseUrl: stranger.baseURL })).toMatchObject({ ok: true, value: { hasKey: false } });
    await on.talk.ended(await on.talk.send('two'));
    expect(stranger.requests.length).toBeGreaterThan(1);
    expect(JSON.stringify(stranger.requests.map((r) => r.headers))).not.toContain('canary');
    // Nor does it come back by itself with the old address: it was forgotten.
    expect(await on.world.api.call['provider.change']({ ...change, baseUrl: on.fake.baseURL })).toMatchObject({ ok: true, value: { hasKey: false } });
    await on.talk.ended(await on.talk.send('three'));
    expect(keysSeen(on.fake)).toHaveLength(2);
    expect(keysSeen(on.fake)[1]).not.toContain('canary');
    // Another path of the same service keeps it.
    expect(await on.world.api.call['provider.change']({ ...change, baseUrl: on.fake.baseURL, key: CANARY })).toMatchObject({ ok: true, value: { hasKey: true } });
    expect(await on.world.api.call['provider.change']({ ...change, baseUrl: `${new URL(on.fake.baseURL).origin}/other/v1` })).toMatchObject({ ok: true, value: { hasKey: true } });
  } finally {
    await stranger.close();
  }
});

async function view() {
  const done = await on.world.api.call['app.view']({});
  if (!done.ok) throw new Error(done.error.code);
  return done.value;
}

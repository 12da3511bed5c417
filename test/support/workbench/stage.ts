import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { WritePolicy } from '#domain/events/index.ts';
import { startFakeOpenAI, type Script } from '../fake-openai/server.ts';
import { World, type Talk } from './world.ts';

/** A workbench with small files, new for each test, and a scripted model that a test starts with `play`. */
export interface Stage {
  world: World;
  fake: Awaited<ReturnType<typeof startFakeOpenAI>>;
  talk: Talk;
  play(turns: Script['turns'], policy?: WritePolicy, more?: Partial<Script>): Promise<void>;
  put(name: string, text: string): void;
  get(name: string): string;
}

/** Call it once at the top of a test file. Every file says `one`. */
export function stage(files: readonly string[], usual: WritePolicy): Stage {
  // Both are set before a test reads them: the world by the hook, the model and the talk by `play`.
  const on = {
    async play(turns, policy = usual, more = {}) {
      on.fake = await startFakeOpenAI({ models: ['fake'], turns, ...more });
      await on.world.provider(on.fake.baseURL);
      await on.world.address(policy);
      on.talk = await on.world.partner();
    },
    put: (name, text) => writeFileSync(join(on.world.work, name), text),
    get: (name) => readFileSync(join(on.world.work, name), 'utf8'),
  } as Stage;
  beforeEach(async () => {
    on.world = await World.open();
    for (const file of files) on.put(file, 'one\n');
  });
  afterEach(async () => {
    await on.world.close();
    await (on.fake as Stage['fake'] | undefined)?.close();
  });
  return on;
}

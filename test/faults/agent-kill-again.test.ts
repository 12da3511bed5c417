import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { PartnerId } from '#domain/ids.ts';
import { startFakeOpenAI, type Script } from '../support/fake-openai/server.ts';
import type { MomentJob } from '../support/workbench/moment-child.ts';
import { World } from '../support/workbench/world.ts';

const out = mkdtempSync(join(tmpdir(), 'agent-again-'));
const child = join(out, 'child.mjs');
beforeAll(async () => {
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
  await build({ entryPoints: [fileURLToPath(new URL('../support/workbench/moment-child.ts', import.meta.url))], bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile: child, logLevel: 'silent', banner });
});
afterAll(() => rmSync(out, { recursive: true, force: true }));

let world: World;
let fake: Awaited<ReturnType<typeof startFakeOpenAI>>;
let partner: PartnerId;
beforeEach(async () => {
  fake = await startFakeOpenAI();
  world = await World.open();
  writeFileSync(join(world.work, 'a.md'), 'one\n');
  await world.address('direct');
  await world.provider(fake.baseURL);
  partner = (await world.partner()).id;
});
afterEach(async () => {
  await world.close();
  await fake.close();
});
const drafting = (): Script['turns'][number] => ({ steps: [{ text: 'half ' }, { delayMs: 30 }, { text: 'more' }, { hang: true }] });
const trashing: Script['turns'][number] = { steps: [{ text: 'I clean up' }, { tool: { name: 'trash_file', args: { path: 'a.md' } } }] };

/** Sends a message in a process of its own, kills that when it has come so far, and opens the data folder again. */
async function killed(text: string, until: MomentJob['until']): Promise<void> {
  await world.workbench.close();
  await new Promise<void>((done, failed) => {
    const process_ = spawn(process.execPath, [child, JSON.stringify({ base: world.base, partner, text, until } satisfies MomentJob)], { stdio: ['ignore', 'pipe', 'pipe'] });
    let errors = '';
    process_.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    process_.stdout.once('data', () => process_.kill('SIGKILL'));
    process_.once('exit', (_code, signal) => (signal === 'SIGKILL' ? done() : failed(new Error(errors))));
  });
  const asked = fake.requests.length;
  await world.start();
  await world.follow(partner).until((t) => t.status === 'interrupted');
  expect(fake.requests).toHaveLength(asked);
}

test('[WB-SESSION-007-AC3] killed again and again: the whole thread remains in order, nothing is nested, half texts are not in it', async () => {
  fake.push(drafting(), trashing, drafting(), { steps: [{ text: 'went on' }] });
  await killed('task 1', 'drafting');
  await killed('task 2', 'asked');
  await killed('task 3', 'drafting');
  const talk = world.follow(partner);
  expect(await talk.ended(await talk.send('continue'))).toMatchObject({ status: 'completed', answer: { text: 'went on' } });
  expect(fake.problems()).toEqual([]);
  const { messages } = fake.requests.at(-1)!.body;
  expect(messages.filter((m) => m.role === 'user').map((m) => m.content)).toEqual(['task 1', 'task 2', 'task 3', 'continue']);
  expect(messages.map((m) => m.role)).toEqual(['system', 'user', 'user', 'assistant', 'tool', 'user', 'user']);
  expect(JSON.stringify(messages)).not.toMatch(/half|more/);
  expect(readFileSync(join(world.work, 'a.md'), 'utf8')).toBe('one\n');
});

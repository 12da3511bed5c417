import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startFakeOpenAI } from '../support/fake-openai/server.ts';
import type { AgentKillJob } from '../support/workbench/kill-child.ts';
import { World } from '../support/workbench/world.ts';

/** Kill points of one run that are tried; every one at night. */
const POINTS = process.env['NIGHTLY'] ? Infinity : 12;

const out = mkdtempSync(join(tmpdir(), 'agent-kill-'));
const child = join(out, 'child.mjs');
let fake: Awaited<ReturnType<typeof startFakeOpenAI>>;
let bases = 0;
beforeAll(async () => {
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
  await build({ entryPoints: [fileURLToPath(new URL('../support/workbench/kill-child.ts', import.meta.url))], bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile: child, logLevel: 'silent', banner });
});
afterAll(() => rmSync(out, { recursive: true, force: true }));
beforeEach(async () => {
  const edit = (path: string) => ({ name: 'edit_file', args: { path, edits: [{ oldText: 'one', newText: 'two' }] } });
  fake = await startFakeOpenAI({
    models: ['fake'],
    turns: [
      { when: { role: 'tool' }, times: 'always', steps: [{ text: 'done' }] },
      { when: { lastMessageIncludes: 'start' }, times: 'always', steps: [{ text: 'two edits' }, { tools: [edit('a.md'), edit('b.md')] }] },
      { when: { lastMessageIncludes: 'continue' }, times: 'always', steps: [{ text: 'went on' }] },
    ],
  });
});
afterEach(() => fake.close());

/** Lives in a fresh folder until it ends or is killed. Resolves with what it said. */
function live(job: Omit<AgentKillJob, 'base' | 'baseUrl'>): Promise<{ readonly base: string; readonly said: string }> {
  const base = join(out, `life-${++bases}`);
  mkdirSync(base, { recursive: true });
  const process_ = spawn(process.execPath, [child, JSON.stringify({ ...job, base, baseUrl: fake.baseURL } satisfies AgentKillJob)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let errors = '';
  process_.stderr.on('data', (d: Buffer) => (errors += d.toString()));
  process_.stdout.on('data', (d: Buffer) => {
    said += d.toString();
    if (job.waits && said.includes('asked')) process_.kill('SIGKILL');
  });
  return new Promise((done, failed) => {
    process_.once('exit', (code, signal) => (code === 0 || signal === 'SIGKILL' ? done({ base, said }) : failed(new Error(`child ended with ${code}: ${errors.slice(0, 2000)}`))));
  });
}

/** Opens what the dead left, and holds it to everything that must be true then. */
async function judge(base: string): Promise<void> {
  const asked = fake.requests.length;
  const world = new World(base);
  await world.start();
  try {
    const partner = world.workbench.partners.all()[0]!;
    const page = await world.api.call['conversation.page']({ partner: partner.id });
    const turn = page.ok ? page.value.turns.at(-1) : undefined;
    // Only what was acknowledged counts: the message itself may be what was lost.
    if (turn) expect(['interrupted', 'completed']).toContain(turn.status);
    expect(fake.requests).toHaveLength(asked);
    // Every change on the disk is a record that can be taken back; nothing is recorded that is not there.
    const live = (turn?.records ?? []).filter((r) => r.state === 'live').map((r) => r.path.split('/').at(-1));
    for (const name of ['a.md', 'b.md']) expect(readFileSync(join(world.work, name), 'utf8'), name).toBe(live.includes(name) ? 'two\n' : 'one\n');
    const talk = world.follow(partner.id);
    expect(await talk.ended(await talk.send('continue'))).toMatchObject({ status: 'completed', answer: { text: 'went on' } });
    expect(fake.problems()).toEqual([]);
    if (turn) expect(JSON.stringify(fake.requests.at(-1)!.body)).toContain('start');
    if (turn && live.length > 0) {
      expect(await world.api.call['change.revert']({ partner: partner.id, run: turn.run })).toMatchObject({ ok: true, value: { changed: live.length, conflicts: 0 } });
      for (const name of ['a.md', 'b.md']) expect(readFileSync(join(world.work, name), 'utf8')).toBe('one\n');
    }
    const checked = await world.api.call['verify.run']({});
    expect(checked.ok && checked.value.flatMap((r) => r.problems)).toEqual([]);
  } finally {
    await world.close();
  }
}

test('[WB-SESSION-007-AC1] [WB-SESSION-007-AC2] killed at any point of a run with two changes: marked, consistent, revertible, and continued from the log by the next message', async () => {
  const whole = JSON.parse((await live({ policy: 'direct', n: 0, waits: false })).said) as { calls: number; status: string };
  expect(whole.status).toBe('completed');
  const points = Math.min(POINTS, whole.calls);
  for (let i = 0; i < points; i++) await judge((await live({ policy: 'direct', n: 1 + Math.floor((i * whole.calls) / points), waits: false })).base);
});

test('[WB-SESSION-007-AC2] [WB-BLOCKER-001-AC4] killed while a question stands: nothing ran, the open calls are closed, the question is gone', async () => {
  const { base } = await live({ policy: 'confirm', n: 0, waits: true });
  await judge(base);
});

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Cli } from '../support/cli/cli.ts';
import { startFakeOpenAI } from '../support/fake-openai/server.ts';

let cli: Cli;
beforeEach(() => (cli = new Cli()));
afterEach(() => cli.close());

const MB = 1_000_000;
const CALLS_A_REPLY = 25;
const REPLIES = 20;

test('[case 55] one run with 500 calls on files of 1 MB: memory does not grow with them, the log keeps what was capped, requests stay bounded', async () => {
  const files = Array.from({ length: 10 }, (_, n) => join(cli.work, `big-${n}.txt`));
  for (const [n, file] of files.entries()) writeFileSync(file, `${n} `.repeat(MB / 2));
  const calls = (reply: number) => Array.from({ length: CALLS_A_REPLY }, (_, n) => ({ tool: { name: 'read_file', args: { path: files[n % files.length]!, from: 1, to: 1 + reply } } }));
  const fake = await startFakeOpenAI({ models: ['fake'], turns: [...Array.from({ length: REPLIES }, (_, reply) => ({ steps: calls(reply) })), { steps: [{ text: 'read them all' }] }] });
  try {
    await cli.value('partner', 'create', 'Maple');
    await cli.value('address', 'add', cli.work, '--policy', 'readOnly');
    const provider = await cli.value('provider', 'add', 'Fake', '--url', fake.baseURL, '--models', 'fake');
    const sending = cli.start(['send', 'Maple', 'read all', '--model', `${String(provider['id'])}/fake`, '--json']);
    const resident: number[] = [];
    sending.child.stdout!.on('data', () => {
      const pages = readMemory(sending.child.pid!);
      if (pages) resident.push(pages);
    });
    const done = await sending.ended;
    expect(done.code, done.err).toBe(0);
    const events = done.lines.map((line) => JSON.parse(line) as { event?: { type: string; data: { outcome?: string } } ; type?: string; data?: { outcome?: string } });
    const returned = events.map((e) => e.event ?? e).filter((e) => e.type === 'ToolReturned');
    expect(returned.length).toBe(CALLS_A_REPLY * REPLIES);
    expect(returned.every((e) => e.data?.outcome === 'ok')).toBe(true);
    // After a first reply everything of its own is loaded; from there it may grow by 150 MB and not more.
    const settled = Math.max(...resident.slice(0, Math.ceil(resident.length / REPLIES)));
    expect(Math.max(...resident) - settled).toBeLessThan(150 * MB);
    const segments = readdirSync(join(cli.data, 'partners'), { recursive: true, withFileTypes: true }).filter((e) => e.isFile() && e.name.endsWith('.jsonl'));
    const lines = segments.flatMap((e) => readFileSync(join(e.parentPath, e.name), 'utf8').split('\n'));
    expect(lines.length).toBeGreaterThan(1000);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(80_000);
    const sizes = fake.requests.map((r) => JSON.stringify(r.body).length);
    expect(Math.max(...sizes.slice(-5))).toBeLessThan(2 * Math.max(...sizes.slice(0, 3)) + 400_000);
  } finally {
    await fake.close();
  }
});

/** Bytes that a process holds in memory; 0 when it is gone. */
function readMemory(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

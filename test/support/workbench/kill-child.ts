import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { watched } from '../fs/calls.ts';
import { CHANGES } from '../fs/faults.ts';
import { World } from './world.ts';

/** Runs one message of a model in a process of its own, and dies by SIGKILL before the `n`th call that changes the disk (0: lives). */
export interface AgentKillJob {
  readonly base: string;
  readonly baseUrl: string;
  readonly policy: 'confirm' | 'direct';
  readonly n: number;
  /** Says `asked` and waits when a question stands. */
  readonly waits: boolean;
}

const job = JSON.parse(process.argv[2]!) as AgentKillJob;
let armed = false;
let calls = 0;
const fs = watched(createNodeFs(), {
  before(call) {
    if (armed && CHANGES.has(call.name) && !call.path.endsWith('diagnostics.log') && ++calls === job.n) process.kill(process.pid, 'SIGKILL');
  },
});
const world = new World(job.base);
mkdirSync(world.work, { recursive: true });
await world.start({ fs });
for (const name of ['a.md', 'b.md']) writeFileSync(join(world.work, name), 'one\n');
await world.address(job.policy);
await world.provider(job.baseUrl);
const talk = await world.partner();
armed = true;
const run = await talk.send('start');
if (job.waits) {
  await talk.asked();
  process.stdout.write('asked\n');
  await new Promise(() => setInterval(() => undefined, 60_000));
}
const turn = await talk.ended(run);
process.stdout.write(JSON.stringify({ calls, status: turn.status }) + '\n');
process.exit(0);

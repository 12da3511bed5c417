import type { PartnerId } from '#domain/ids.ts';
import { World } from './world.ts';

/** One message in a process of its own, which says `here` when its run has come so far, and waits to be killed. */
export interface MomentJob {
  readonly base: string;
  readonly partner: PartnerId;
  readonly text: string;
  readonly until: 'drafting' | 'asked';
}

const job = JSON.parse(process.argv[2] ?? '') as MomentJob;
const world = new World(job.base);
await world.start();
// Nobody drives this clock from outside: it runs by itself, a little fast.
setInterval(() => world.clock.advance(40), 20);
const talk = world.follow(job.partner);
await talk.send(job.text);
if (job.until === 'asked') await talk.asked();
else await talk.until(() => talk.drafts.some((d) => d.text.includes('more')));
process.stdout.write('here\n');

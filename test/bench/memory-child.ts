import type { PartnerEvent } from '../../domain/events/index.ts';
import { evolve, NEW_PARTNER } from '../../domain/partner/state.ts';
import { open } from './data.ts';

/** Replays one history in a process of its own and says what that took over the same process at rest, in MB. */
const log = await open(process.argv[2]!);
let state = NEW_PARTNER;
let idle = 0;
let peak = 0;
for await (const batch of log.readBatches()) {
  // At rest: everything is loaded and the first piece was read.
  if (idle === 0) idle = process.memoryUsage.rss();
  for (const event of batch) state = evolve(state, event as PartnerEvent);
  peak = Math.max(peak, process.memoryUsage.rss());
}
await log.close();
if (!state.facts.created) throw new Error('not folded');
const MB = 1024 * 1024;
console.log(JSON.stringify({ idle: idle / MB, over: (Math.max(peak, process.resourceUsage().maxRSS * 1024) - idle) / MB }));

import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { draft, partnerEvents } from '#domain/events/index.ts';
import type { PartnerId } from '#domain/ids.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { openEventLog } from '#main/log/open.ts';
import { newId } from '#main/ports/random.ts';
import { realClock, realRandom } from '#main/ports/real.ts';
import { message } from '../fs/log-world.ts';
import type { Cli } from './cli.ts';

const TOGETHER = 200;

/** How open-workbench.ts names this machine: the same name goes on with the same origin, another starts one. */
export const HERE = createHash('sha256').update(hostname()).digest('hex').slice(0, 16);

/** Lets a partner have talked on for so many turns, through the real log writer: three events each and no change. */
export async function talkOn(cli: Cli, partner: PartnerId, turns: number, machine = HERE): Promise<void> {
  const log = await openEventLog({ dir: join(cli.data, 'partners', partner), kind: 'partner', fs: createNodeFs(), clock: realClock, random: realRandom, machine });
  if (!log.ok) throw new Error(log.error.code);
  for (let done = 0; done < turns; done += TOGETHER) {
    const batch = Array.from({ length: Math.min(TOGETHER, turns - done) }, (_, i) => {
      const run = newId(realRandom, 'run');
      const by = { actor: 'partner' as const, run };
      return [message(`talk ${done + i + 1}`, run), draft(partnerEvents.AnswerRecorded, { call: 1, text: { text: `answer ${done + i + 1}` } }, by), draft(partnerEvents.RunCompleted, {}, by)];
    });
    const written = await log.value.append(batch.flat()).durable;
    if (!written.ok) throw new Error(written.error.code);
  }
  await log.value.close();
}

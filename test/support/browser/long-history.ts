import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { draft, LOCAL_MODEL, partnerEvents } from '#domain/events/index.ts';
import { newId } from '#main/ports/random.ts';
import { realRandom } from '#main/ports/real.ts';
import { World } from '../workbench/world.ts';

/** A partner with a long past, written through the product's own log: `turns` questions with answers of many heights. */
export async function writeLongHistory(home: string, name: string, turns: number): Promise<void> {
  const world = await World.open({ base: home });
  const made = await world.api.call['partner.create']({ name, face: { shape: 'drop', colour: 'lake' } });
  if (!made.ok) throw new Error(made.error.code);
  const partner = world.workbench.partners.get(made.value.id);
  if (!partner.ok) throw new Error(partner.error.code);
  for (let from = 0; from < turns; from += 200) {
    const facts = Array.from({ length: Math.min(200, turns - from) }, (_, i) => {
      const n = from + i + 1;
      const run = newId(realRandom, 'run');
      const answer = `Answer **${n}**.\n\n${'Some words to fill a line or two. '.repeat((n * 7) % 23)}\n\n${n % 9 === 0 ? '- one\n- two\n- three' : ''}`;
      return [
        draft(partnerEvents.MessageSent, { text: { text: `Question ${n}` }, attachments: [], channel: 'window' }, { actor: 'person', run }),
        draft(partnerEvents.RunStarted, { model: LOCAL_MODEL, permission: 'review', language: 'en', addresses: [] }, { actor: 'host', run }),
        draft(partnerEvents.AnswerRecorded, { call: 1, text: { text: answer } }, { actor: 'partner', run }),
        draft(partnerEvents.RunCompleted, {}, { actor: 'host', run }),
      ];
    }).flat();
    const done = await partner.value.commit(facts);
    if (!done.ok) throw new Error(done.error.code);
  }
  await world.workbench.close();
  // The host that opens it is this machine, not the test's.
  const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 16);
  for (const dir of [join(world.data, 'app'), join(world.data, 'partners', readdirSync(join(world.data, 'partners')).find((e) => e.startsWith('partner_'))!)]) {
    const file = join(dir, 'origin.json');
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), machine }));
  }
}

import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { draft, partnerEvents } from '../../../domain/events/index.ts';
import type { RunId } from '../../../domain/ids.ts';
import { newId } from '../../../main/ports/random.ts';
import { realRandom } from '../../../main/ports/real.ts';
import { open, prose, seeded } from '../data.ts';
import { freshDir, judge, report, takeTurns, type Contender } from '../harness.ts';
import { sqlite } from '../peers.ts';

interface Sql {
  readonly insert: (lines: readonly string[]) => void;
  readonly close: () => void;
}

/** (a) A durable event: validated, sealed, hashed, appended, acknowledged, published. */
export async function append(quick: boolean): Promise<void> {
  const count = quick ? 200 : 1000;
  const random = seeded(3);
  const texts = Array.from({ length: count }, () => prose(random, 200 + random() * 300));
  const run = newId(realRandom, 'run') as RunId;
  const fact = (text: string) => draft(partnerEvents.AnswerRecorded, { call: 1, text: { text } }, { actor: 'partner', run });
  const lines = texts.map((text) => JSON.stringify({ seq: 1, run, type: 'AnswerRecorded', v: 1, at: '2026-01-01T00:00:00.000Z', data: { call: 1, text: { text } }, h: 'f'.repeat(64), prev: 'f'.repeat(64), dataHash: 'f'.repeat(64), id: 'event_' + 'a'.repeat(26) }));

  const product = (group: number): Contender<{ log: Awaited<ReturnType<typeof open>>; seen: number }> => ({
    prepare: async () => ({ log: await open(freshDir('append')), seen: 0 }),
    async run(c) {
      const publish = (done: { ok: boolean }) => (c.seen += done.ok ? 1 : 0);
      for (let i = 0; i < count; i += group) await Promise.all(texts.slice(i, i + group).map((text) => c.log.append([fact(text)]).durable.then(publish)));
      if (c.seen !== count) throw new Error('an append failed');
    },
    done: (c) => c.log.close(),
  });
  const bare: Contender<number> = {
    prepare: () => openSync(join(freshDir('bare'), 'x'), 'w+'),
    run: (fd) => {
      let at = 0;
      for (const line of lines) {
        const bytes = Buffer.from(line + '\n');
        writeSync(fd, bytes, 0, bytes.length, at);
        fdatasyncSync(fd);
        at += bytes.length;
      }
    },
    done: (fd) => closeSync(fd),
  };
  const Database = sqlite();
  const sql = (group: number): Contender<Sql> => ({
    prepare: () => {
      const db = new Database(join(freshDir('sql'), 'x.db'));
      db.pragma('journal_mode=WAL');
      db.pragma('synchronous=FULL');
      db.exec('CREATE TABLE ev(seq INTEGER PRIMARY KEY, line TEXT)');
      const put = db.prepare('INSERT INTO ev(line) VALUES(?)');
      const all = db.transaction((batch: readonly string[]) => batch.forEach((line) => put.run(line)));
      return { insert: (batch) => (batch.length === 1 ? put.run(batch[0]) : all(batch)), close: () => db.close() };
    },
    run: (c) => {
      for (let i = 0; i < count; i += group) c.insert(lines.slice(i, i + group));
    },
    done: (c) => c.close(),
  });
  const rounds = quick ? 3 : 9;
  const single = await takeTurns({ product: product(1), 'sqlite FULL': sql(1), fdatasync: bare }, rounds);
  report(judge({ id: 'append.sqlite', text: 'durable append beside SQLite WAL FULL', product: 'product', peer: 'sqlite FULL', max: 0.9 }, single));
  report(judge({ id: 'append.fdatasync', text: 'durable append beside bare fdatasync', product: 'product', peer: 'fdatasync', max: 2.2 }, single));
  const grouped = await takeTurns({ product: product(64), 'sqlite FULL 64': sql(64) }, rounds);
  report(judge({ id: 'append.64', text: '64 waiting appends beside SQLite FULL in batches of 64 (rate ≥ 0.8×)', product: 'product', peer: 'sqlite FULL 64', max: 1 / 0.8 }, grouped));
}

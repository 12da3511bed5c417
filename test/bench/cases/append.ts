import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { draft, partnerEvents } from '../../../domain/events/index.ts';
import type { RunId } from '../../../domain/ids.ts';
import { FIRST_PREV, saltOf, seal } from '../../../main/log/line.ts';
import { newId } from '../../../main/ports/random.ts';
import { realRandom } from '../../../main/ports/real.ts';
import { bytesOf, open, prose, seeded } from '../data.ts';
import { freshDir, measured, type Contender } from '../harness.ts';
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
  // The peers write the very lines that the product writes, ready made: sealing them is the product's own affair.
  const id = { event: newId(realRandom, 'event'), origin: newId(realRandom, 'origin') };
  const lines = texts.map((text, i) => seal(fact(text), { id: id.event, origin: id.origin, seq: i + 2, lamport: i + 2, at: new Date().toISOString(), prev: FIRST_PREV }, saltOf(realRandom)).bytes.toString('utf8').trimEnd());
  const total = lines.reduce((n, line) => n + Buffer.byteLength(line) + 1, 0);

  const product = (group: number): Contender<{ log: Awaited<ReturnType<typeof open>>; seen: number; dir: string; before: number }> => ({
    prepare: async () => {
      const dir = freshDir('append');
      const log = await open(dir);
      // As the peers' file and table are: there, named and durable before the clock starts.
      await log.append([fact('first')]).durable;
      return { log, seen: 0, dir, before: bytesOf(dir).length };
    },
    async run(c) {
      const publish = (done: { ok: boolean }) => (c.seen += done.ok ? 1 : 0);
      for (let i = 0; i < count; i += group) await Promise.all(texts.slice(i, i + group).map((text) => c.log.append([fact(text)]).durable.then(publish)));
      if (c.seen !== count) throw new Error('an append failed');
    },
    async done(c) {
      await c.log.close();
      const stored = bytesOf(c.dir).length - c.before;
      if (stored !== total) throw new Error(`${stored} bytes stored, the peers store ${total}`);
    },
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
  const rounds = quick ? 3 : 15;
  await measured([
    { id: 'append.sqlite', text: 'durable append beside SQLite WAL FULL', product: 'product', peer: 'sqlite FULL', max: 0.9 },
    { id: 'append.fdatasync', text: 'durable append beside bare fdatasync', product: 'product', peer: 'fdatasync', max: 2.2 },
  ], { product: product(1), 'sqlite FULL': sql(1), fdatasync: bare }, rounds);
  await measured([{ id: 'append.64', text: '64 waiting appends beside SQLite FULL in batches of 64 (rate ≥ 0.8×)', product: 'product', peer: 'sqlite FULL 64', max: 1 / 0.8 }], { product: product(64), 'sqlite FULL 64': sql(64) }, rounds);
}

import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { draft, partnerEvents } from '#domain/events/index.ts';
import type { PartnerId } from '#domain/ids.ts';
import { ok } from '#domain/result.ts';
import { say } from '#domain/words/words.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { newerDataCalls } from '#main/hosts/newer-data.ts';
import { seal } from '#main/log/line.ts';
import { newId } from '#main/ports/random.ts';
import { realRandom } from '#main/ports/real.ts';
import { World, type Talk } from '../support/workbench/world.ts';

let world: World;
let talk: Talk;
beforeEach(async () => {
  world = await World.open();
  talk = await world.partner('小满 / Maple');
});
afterEach(() => world.close());

const turnsOf = async (...texts: string[]) => {
  for (const text of texts) await talk.ended(await talk.send(text));
};
const segment = (id: PartnerId) => {
  const log = join(world.data, 'partners', id, 'log');
  const [origin] = readdirSync(log);
  return join(log, origin!, '00000001.jsonl');
};
const tree = (dir: string) => execFileSync('sh', ['-c', 'cd "$1" && find . -type f ! -path "./exports/*" -exec sha256sum {} + | sort -k2', 'sh', dir], { encoding: 'utf8' });
/** Breaks something on the closed disk and opens again. */
async function restartWith(breakIt: () => void): Promise<void> {
  await world.workbench.close();
  breakIt();
  await world.start();
}
const exported = async (input: { partner?: PartnerId; folder?: string } = { partner: talk.id }) => {
  const done = await world.api.call['partner.exportReadable'](input);
  if (!done.ok) throw new Error(done.error.code);
  const [lines, copy] = done.value.files;
  return { ...done.value, lines: readFileSync(lines!, 'utf8'), copy: readFileSync(copy!, 'utf8') };
};

describe('[case 53] [I8] exporting what is readable', () => {
  test('a byte flipped in the middle costs its own record only: the rest is written in order, byte for byte, and the log is not touched', async () => {
    await turnsOf('hello one', 'hello two', 'hello three');
    const path = segment(talk.id);
    let sound: string[] = [];
    await restartWith(() => {
      const bytes = readFileSync(path);
      const lines = bytes.toString('utf8').split('\n').slice(0, -1);
      sound = lines.filter((line) => !line.includes('hello two'));
      expect(sound.length).toBe(lines.length - 1);
      bytes[bytes.indexOf('hello two') + 6]! ^= 1;
      writeFileSync(path, bytes);
    });
    const [row] = world.workbench.partners.list();
    expect(row?.health).toBe('readOnly');
    expect(row?.findings[0]?.code).toBe('damage');
    const before = tree(world.data);
    const done = await exported();
    expect(done.folder).toBe(join(world.data, 'exports'));
    expect(done).toMatchObject({ events: sound.length, gaps: 1 });
    expect(done.lines.split('\n').slice(0, -1)).toEqual(sound);
    expect(done.copy).toContain('hello one');
    expect(done.copy).toContain('hello three');
    expect(done.copy).not.toContain('hello two');
    expect(done.copy.indexOf('hello one')).toBeLessThan(done.copy.indexOf(say('en', 'export.gap')));
    expect(done.copy.indexOf(say('en', 'export.gap'))).toBeLessThan(done.copy.indexOf('hello three'));
    expect(tree(world.data)).toBe(before);
  });

  test('a line that is no JSON, a lost newline and a cut end cost no neighbour', async () => {
    await turnsOf('hello one', 'hello two');
    const path = segment(talk.id);
    let whole = 0;
    await restartWith(() => {
      const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
      whole = lines.length;
      // Between the first two stands rubbish, the next two have lost the newline between them, the last is half.
      const broken = [lines[0], 'not { json', `${lines[1]} ${lines[2]}`, ...lines.slice(3), lines[3]!.slice(0, 90)];
      writeFileSync(path, broken.join('\n'));
    });
    const done = await exported();
    expect(done.events).toBe(whole);
    expect(done.copy).toContain('hello one');
    expect(done.copy).toContain('hello two');
  });

  test('a text whose bytes are gone shows its beginning and says that the rest cannot be read', async () => {
    await turnsOf('start of it ' + 'long '.repeat(9000));
    await restartWith(() => rmSync(join(world.data, 'blobs'), { recursive: true, force: true }));
    const done = await exported();
    expect(done.gaps).toBe(0);
    expect(done.copy).toContain('start of it long');
    expect(done.copy).toContain(say('en', 'export.noBlob'));
  });

  test('records of a newer version are taken along as they are and named in the copy', async () => {
    await turnsOf('hello one');
    const path = segment(talk.id);
    await restartWith(() => {
      const last = JSON.parse(readFileSync(path, 'utf8').split('\n').at(-2)!) as { h: never; e: { origin: never; seq: number; lamport: number } };
      const future = { ...draft(partnerEvents.MessageSent, { text: { text: 'x' }, attachments: [], channel: 'window' }, { actor: 'person' }), type: 'ThoughtRead', v: 3, data: { future: 'kept whole' } };
      appendFileSync(path, seal(future, { id: newId(realRandom, 'event'), origin: last.e.origin, seq: last.e.seq + 1, lamport: last.e.lamport + 1, at: '2031-01-01T00:00:00.000Z', prev: last.h }, 'c2FsdHNhbHRzYWx0c2E').bytes);
    });
    const done = await exported();
    expect(done.lines).toContain('"future":"kept whole"');
    expect(done.copy).toContain(say('en', 'export.newer'));
  });

  test('a healthy partner exports too, twice without replacing anything, into a folder of the person’s; a wrong folder is refused', async () => {
    writeFileSync(join(world.work, 'a.md'), 'TODO\n');
    await world.address('direct');
    await turnsOf('list files');
    const into = join(world.base, 'mine');
    expect(await world.api.call['partner.exportReadable']({ partner: talk.id, folder: into })).toMatchObject({ ok: false, error: { code: 'export.noFolder' } });
    mkdirSync(into);
    await exported({ partner: talk.id, folder: into });
    await exported({ partner: talk.id, folder: into });
    const names = readdirSync(into).sort();
    expect(names.length).toBe(4);
    // No sign that another system would not take.
    for (const name of names) expect(name).toMatch(/^小满 - Maple \d{8}-\d{6}( \(2\))?\.(md|ndjson)$/u);
    expect(await world.api.call['file.reveal']({ path: into })).toMatchObject({ ok: true });
    expect(await world.api.call['file.reveal']({ path: join(world.base, 'share') })).toMatchObject({ ok: false });
  });
});

test('[WB-COMPOSER-012-AC4] [case 53] a data folder of a newer version is exported to the home folder and not one byte is written to it', async () => {
  await turnsOf('hello one');
  await world.workbench.close();
  writeFileSync(join(world.data, 'format.json'), '{"format":99}');
  const before = tree(world.data);
  const home = join(world.base, 'home');
  mkdirSync(home);
  const shown: string[] = [];
  const calls = newerDataCalls({ fs: createNodeFs(), dataDir: world.data, home, language: 'zh', now: () => 0, reveal: async (path) => (shown.push(path), ok()) });
  const caller = { channel: 'web' as const, insideRun: false };
  const done = await calls['partner.exportReadable']({}, caller);
  if (!done.ok) throw new Error(done.error.code);
  expect(readFileSync(done.value.files[1]!, 'utf8')).toMatch(/^# 小满 \/ Maple\n[^]*hello one/u);
  expect(tree(world.data)).toBe(before);
  expect(await calls['file.reveal']({ path: done.value.folder }, caller)).toMatchObject({ ok: true });
  expect(await calls['file.reveal']({ path: home }, caller)).toMatchObject({ ok: false });
  expect(shown).toEqual([done.value.folder]);
  expect(await calls['partner.exportReadable']({}, { ...caller, insideRun: true })).toMatchObject({ ok: false, error: { code: 'rights.insideRun' } });
});

import { existsSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { errno, watched } from '../support/fs/calls.ts';
import type { Script } from '../support/fake-openai/server.ts';
import { named } from '../support/fs/log-world.ts';
import { stage } from '../support/workbench/stage.ts';
import type { Talk } from '../support/workbench/world.ts';

/** Bytes of one partner are needed as long as nobody can say what another one's log holds. */

const on = stage(['a.md', 'b.md'], 'direct');
const edit = (path: string, to: string) => ({ tool: { name: 'edit_file', args: { path, edits: [{ oldText: 'one', newText: to }] } } });
const after = (): Script['turns'][number] => ({ when: { role: 'tool' }, steps: [{ text: 'ok' }] });
const blobAt = (hash: string) => join(on.world.data, 'blobs', hash.slice(0, 2), hash.slice(2, 4), hash);
const DAY_MS = 86_400_000;

/** The only segment of a partner's log, and what its one run needs to be taken back. */
interface Ivy {
  readonly segment: string;
  readonly needs: readonly string[];
  readonly run: Talk['last']['run'];
  readonly talk: Talk;
}

/** Ivy changed a.md; Maple, who is deleted next, changed b.md. */
async function twoPartners(): Promise<Ivy> {
  await on.play([{ steps: [edit('a.md', 'needed by Ivy 4711')] }, after(), { steps: [edit('b.md', 'of Maple 4712')] }, after()]);
  const talk = await on.world.partner('Ivy');
  const turn = await talk.ended(await talk.send('go'));
  await on.talk.ended(await on.talk.send('go'));
  const ivy = on.world.workbench.partners.all().find((p) => p.id === talk.id)!;
  const { origin } = ivy.log;
  // More than opening reads of an end: what Ivy needs stands in lines that only the sweep looks at.
  await ivy.commit(Array.from({ length: 300 }, (_, i) => named(`Ivy ${i}`)));
  const needs = turn.records.flatMap((r) => [r.before!.hash!, r.after!.hash!]);
  return { segment: join(on.world.data, 'partners', talk.id, 'log', origin, '00000001.jsonl'), needs, run: turn.run, talk };
}

/** Closes, does something to the disk, opens, and deletes Maple, which sweeps if it is the time for it; after 31 days once more. */
async function deleteTwice(damage: () => void, fs = createNodeFs()): Promise<void> {
  await on.world.workbench.close();
  damage();
  await on.world.start({ fs });
  for (let i = 0; i < 2; i++) {
    const more = i === 0 ? on.talk : await on.world.partner('Short-lived');
    expect(await on.world.api.call['partner.delete']({ partner: more.id })).toMatchObject({ ok: true });
    await on.world.workbench.settled();
    on.world.clock.advance(32 * DAY_MS);
  }
}

/** Replaces a text in the log's one segment, same length. */
function rot(segment: string, from: string, to: string): void {
  const text = readFileSync(segment, 'latin1');
  expect(text).toContain(from);
  writeFileSync(segment, text.replace(from, to), 'latin1');
}
/** The first character of a hash turned into another one that a hash may have. */
const other = (hash: string) => (hash.startsWith('0') ? '1' : '0') + hash.slice(1);

const damages: readonly (readonly [string, (ivy: Ivy) => void])[] = [
  ['a name of a blob rotted into another name, in a line that opening does not read', (ivy) => rot(ivy.segment, `"refs":["${ivy.needs[0]}`, `"refs":["${other(ivy.needs[0]!)}`)],
  ['the word for what a line needs rotted', (ivy) => rot(ivy.segment, `"refs":["${ivy.needs[0]}`, `"rexs":["${ivy.needs[0]}`)],
  ['two lines run together', (ivy) => rot(ivy.segment, '}\n{"h"', '} {"h"')],
  ['the end of the log is gone', (ivy) => truncateSync(ivy.segment, statSync(ivy.segment).size >> 1)],
  ['the segment is gone', (ivy) => renameSync(ivy.segment, `${ivy.segment}.away`)],
];

describe('[case 57] [case 53] the blob sweep beside a partner that is damaged', () => {
  test('a whole neighbour: what nobody needs goes, and for good after 30 days; what Ivy needs stays', async () => {
    const ivy = await twoPartners();
    const mine = on.talk.last.records[0]!.after!.hash!;
    await deleteTwice(() => undefined);
    expect(existsSync(blobAt(mine))).toBe(false);
    expect(on.world.grep('of Maple 4712')).toEqual([]);
    for (const hash of ivy.needs) expect(existsSync(blobAt(hash)), hash).toBe(true);
  });

  for (const [name, damage] of damages)
    test(`${name}: no blob is swept or purged [I3] [I8]`, async () => {
      const ivy = await twoPartners();
      const mine = on.talk.last.records[0]!.after!.hash!;
      await deleteTwice(() => damage(ivy));
      for (const hash of [...ivy.needs, mine]) expect(existsSync(blobAt(hash)), hash).toBe(true);
    });

  test('a log that cannot be read just now: nothing is swept; when it can, the sweep goes on and Ivy reverts [I3] [I6]', async () => {
    const ivy = await twoPartners();
    const mine = on.talk.last.records[0]!.after!.hash!;
    let broken = false;
    const port = watched(createNodeFs(), { before: (call) => {
      if (broken && call.path.startsWith(ivy.segment)) throw errno('EIO');
    } });
    await on.world.workbench.close();
    await on.world.start({ fs: port });
    broken = true;
    expect(await on.world.api.call['partner.delete']({ partner: on.talk.id })).toMatchObject({ ok: true });
    await on.world.workbench.settled();
    for (const hash of [...ivy.needs, mine]) expect(existsSync(blobAt(hash)), hash).toBe(true);
    broken = false;
    const more = await on.world.partner('Short-lived');
    expect(await on.world.api.call['partner.delete']({ partner: more.id })).toMatchObject({ ok: true });
    await on.world.workbench.settled();
    expect(existsSync(blobAt(mine))).toBe(false);
    expect(await on.world.api.call['change.revert']({ partner: ivy.talk.id, run: ivy.run })).toMatchObject({ ok: true, value: { changed: 1 } });
    expect(on.get('a.md')).toBe('one\n');
  });
});

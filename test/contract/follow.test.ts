import { expect, test } from 'vitest';
import { emptyTalk, foldPush, type TalkView } from '#app/feeds/conversation-fold.ts';
import { topics } from '#main/api/service.ts';
import type { ConversationPush } from '#main/api/views.ts';
import { stage } from '../support/workbench/stage.ts';

/** Followers that come in the middle of a run: they see what those see who were there from the start. */

const on = stage(['a.md'], 'direct');

/** A follower that folds as the window does. */
function follower(from: string | null, known: TalkView = emptyTalk) {
  const seen = { view: known, resyncs: 0, cursors: [] as [string, TalkView][], heard: () => {} };
  on.world.api.subscribe(topics.conversation(on.talk.id), from, (data, cursor) => {
    const folded = foldPush(seen.view, data as ConversationPush);
    if (folded.resync) seen.resyncs += 1;
    seen.view = folded.view;
    seen.cursors.push([cursor, folded.view]);
    seen.heard();
  });
  return seen;
}
const shown = ({ turns, drafts }: TalkView) => ({ turns, drafts: [...drafts] });

test('[WB-COMPOSER-014-AC1] whoever comes at any instant of a run, new or from a cursor, ends with the same conversation: nothing twice, nothing missing', async () => {
  const calls = 12;
  const edit = (n: number) => ({ name: 'edit_file', args: { path: 'a.md', edits: [n % 2 ? { oldText: 'two', newText: 'one' } : { oldText: 'one', newText: 'two' }] } });
  await on.play([
    ...Array.from({ length: calls }, (_, n) => ({ steps: [{ text: `Step ${n}. ` }, { text: 'Looking ' }, { text: 'at it.' }, { tool: edit(n) }] })),
    { steps: [{ text: 'All ' }, { text: 'done.' }] },
  ]);
  const first = follower(null);
  const others: ReturnType<typeof follower>[] = [];
  let known = 0;
  first.heard = () => {
    others.push(follower(null));
    for (const [cursor, view] of first.cursors.slice(known)) others.push(follower(cursor, view));
    known = first.cursors.length;
  };
  await on.talk.ended(await on.talk.send('go'));
  first.heard = () => {};
  await on.world.api.call.ping({});
  await expect.poll(() => others.filter((o) => o.view.turns.at(-1)?.status !== 'completed').length).toBe(0);
  expect(others.length).toBeGreaterThan(50);
  const late = follower(null);
  await expect.poll(() => late.view.loaded).toBe(true);
  for (const other of [first, ...others]) {
    expect(shown(other.view)).toEqual(shown(late.view));
    expect(other.resyncs).toBe(0);
  }
});

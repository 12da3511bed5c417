import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createNodeFs } from '#main/fs/node-fs.ts';
import type { FsPort, OpenFile } from '#main/ports/fs.ts';
import { World } from '../support/workbench/world.ts';
import { stage } from '../support/workbench/stage.ts';

const on = stage(['a.md', 'b.md', 'c.md'], 'confirm');

const edit = (path: string, from: string, to: string) => ({ name: 'edit_file', args: { path, edits: [{ oldText: from, newText: to }] } });
describe('when things break', () => {
  /** The real disk, full while `full` says so. */
  function fillable(full: () => boolean): FsPort {
    const real = createNodeFs();
    const stop = () => {
      if (full()) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    };
    const wrap = (file: OpenFile): OpenFile => new Proxy(file, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          if (/^write/.test(String(name))) stop();
          return (value as (...g: unknown[]) => unknown).apply(target, given);
        };
      },
    });
    return { ...real, open: async (...given) => wrap(await real.open(...given)), copyFile: async (...given) => (stop(), real.copyFile(...given)) };
  }
  test('[case 51] a full disk: a clear error, everything before is there, and it works again without a restart', async () => {
    await on.world.close();
    let full = false;
    on.world = await World.open({ fs: fillable(() => full) });
    on.put('a.md', 'one\n');
    await on.play([{ steps: [{ text: 'first' }] }, { steps: [{ tool: { name: 'read_file', args: { path: 'a.md' } } }] }, { times: 3, steps: [{ text: 'again' }] }], 'direct');
    await on.talk.ended(await on.talk.send('before'));
    full = true;
    const refused = await on.world.api.call['run.send']({ partner: on.talk.id, text: 'lost' });
    expect(refused).toMatchObject({ ok: false, error: { code: 'log.full' } });
    expect(on.talk.turns.map((t) => t.message.text)).toEqual(['before']);
    full = false;
    const run = await on.talk.send('after');
    await on.talk.ended(run);
    expect(on.talk.turns.map((t) => t.message.text)).toEqual(['before', 'after']);
  });
  test('[case 53] a damaged partner is read-only with what can be read; others work; nothing of it is removed', async () => {
    await on.play([{ times: 'always', steps: [{ text: 'ok' }] }], 'direct');
    const other = await on.world.partner('Ivy');
    await on.talk.ended(await on.talk.send('first'));
    await on.talk.ended(await on.talk.send('second'));
    const { id } = on.talk;
    await on.world.workbench.close();
    const log = join(on.world.data, 'partners', id, 'log');
    const segment = join(log, readdirSync(log)[0]!, '00000001.jsonl');
    const bytes = readFileSync(segment);
    const at = bytes.lastIndexOf('"second"') + 2;
    bytes[at] = bytes[at]! ^ 1;
    writeFileSync(segment, bytes);
    await on.world.start();
    const list = await on.world.api.call['partners.list']({});
    const mine = list.ok ? list.value.find((p) => p.id === id) : undefined;
    expect(mine).toMatchObject({ health: 'readOnly' });
    expect(mine!.findings.map((f) => f.code)).toContain('damage');
    const page = await on.world.api.call['conversation.page']({ partner: id });
    expect(page.ok && page.value.turns.map((t) => t.message.text)).toContain('first');
    expect(await on.world.api.call['run.send']({ partner: id, text: 'third' })).toMatchObject({ ok: false, error: { code: 'partner.readOnly' } });
    expect(readFileSync(segment)).toEqual(bytes);
    const again = on.world.follow(other.id);
    expect(await again.ended(await again.send('hello'))).toMatchObject({ status: 'completed' });
  });
  test('[case 57] deleting a partner frees its bytes but not what another needs; reverts elsewhere still work', async () => {
    await on.play([
      { steps: [{ tool: edit('a.md', 'one', 'two') }] }, { when: { role: 'tool' }, steps: [{ text: 'ok' }] },
      { steps: [{ tool: edit('b.md', 'one', 'only mine 4711') }] }, { when: { role: 'tool' }, steps: [{ text: 'ok' }] },
    ], 'direct');
    const other = await on.world.partner('Ivy');
    const shared = await other.ended(await other.send('go'));
    const own = await on.talk.ended(await on.talk.send('go'));
    const blob = (hash: string) => join(on.world.data, 'blobs', hash.slice(0, 2), hash.slice(2, 4), hash);
    expect(existsSync(blob(own.records[0]!.after!.hash!))).toBe(true);
    await on.world.api.call['partner.delete']({ partner: on.talk.id });
    await on.world.workbench.settled();
    expect(existsSync(join(on.world.data, 'partners', on.talk.id))).toBe(false);
    expect(existsSync(blob(own.records[0]!.after!.hash!))).toBe(false);
    expect(existsSync(blob(shared.records[0]!.before!.hash!))).toBe(true);
    await on.world.workbench.close();
    await on.world.start();
    expect(await on.world.api.call['change.revert']({ partner: other.id, run: shared.run })).toMatchObject({ ok: true, value: { changed: 1 } });
    expect(on.get('a.md')).toBe('one\n');
    const list = await on.world.api.call['partners.list']({});
    expect(list.ok && list.value.map((p) => p.id)).toEqual([other.id]);
  });
  test('[WB-SESSION-007-AC2] a closed app in the middle of a run: marked, never continued by itself, taken up by the next message', async () => {
    await on.play([{ steps: [{ text: 'looking' }, { tool: edit('a.md', 'one', 'two') }] }, { steps: [{ text: 'went on' }] }]);
    await on.talk.send('start');
    await on.talk.asked();
    const { id } = on.talk;
    // The process is gone without a word: only what was acknowledged is on disk.
    const lost = on.world.workbench;
    await lost.partners.all()[0]!.log.close();
    await lost.app.log.close();
    await on.world.start();
    const before = on.fake.requests.length;
    const again = on.world.follow(id);
    await again.until((t) => t.status === 'interrupted');
    expect(on.fake.requests.length).toBe(before);
    expect(on.get('a.md')).toBe('one\n');
    expect(await again.ended(await again.send('continue'))).toMatchObject({ status: 'completed', answer: { text: 'went on' } });
    expect(on.fake.problems()).toEqual([]);
    const told = JSON.stringify(on.fake.requests.at(-1)!.body);
    expect(told).toContain('start');
    expect(told).toContain('Interrupted: the run ended');
  });
  test('[case 3] [case 4] a revert of a run touches only what its tools wrote', async () => {
    await on.play([{ steps: [{ tool: edit('a.md', 'one', 'two') }] }, { when: { role: 'tool' }, steps: [{ text: 'ok' }] }], 'direct');
    const turn = await on.talk.ended(await on.talk.send('go'));
    mkdirSync(join(on.world.work, 'output'));
    on.put('output/data.jsonl', 'by another program');
    on.put('b.md', 'mine');
    expect(await on.world.api.call['change.revert']({ partner: on.talk.id, run: turn.run })).toMatchObject({ ok: true, value: { changed: 1, conflicts: 0 } });
    expect([on.get('a.md'), on.get('b.md'), on.get('output/data.jsonl')]).toEqual(['one\n', 'mine', 'by another program']);
  });
});

test('[I8] a cut or emptied app log is found, said, and never written over', async () => {
  await on.play([], 'confirm');
  await on.world.workbench.close();
  const log = join(on.world.data, 'app', 'log');
  const segment = join(log, readdirSync(log)[0]!, '00000001.jsonl');
  const whole = readFileSync(segment);
  for (const bytes of [Buffer.alloc(0), whole.subarray(0, whole.length >> 1), whole.subarray(0, whole.lastIndexOf(10, whole.length - 2) + 1)]) {
    writeFileSync(segment, bytes);
    await on.world.start();
    const view = await on.world.api.call['app.view']({});
    expect(view.ok && view.value.findings.map((f) => f.code)).toContain('missingEnd');
    const checked = await on.world.api.call['verify.run']({});
    expect(checked.ok && checked.value.find((r) => r.partner === 'app')!.problems.length).toBeGreaterThan(0);
    expect(await on.world.api.call['settings.set']({ theme: 'dark' })).toMatchObject({ ok: false, error: { code: 'log.readOnly' } });
    await on.world.workbench.close();
    writeFileSync(segment, whole);
  }
  await on.world.start();
  const view = await on.world.api.call['app.view']({});
  expect(view.ok && view.value.findings).toEqual([]);
  expect(view.ok && view.value.addresses).toHaveLength(1);
});

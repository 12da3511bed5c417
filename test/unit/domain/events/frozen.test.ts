import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { appEvents, definitionOf, partnerEvents } from '#domain/events/index.ts';
import { lift, lifts } from '#domain/events/lifts.ts';
import { checkLine, parseLine } from '#main/log/line.ts';
import { LANGUAGES, sayFailure } from '#test/support/words.ts';

const dir = join(import.meta.dirname, '../../../../fixtures/log');
const lineOf = (log: string, type: string, v: number) => readFileSync(join(dir, log, `${type}.v${v}.jsonl`));

describe.each([['partner', partnerEvents], ['app', appEvents]] as const)('stored events of the %s log', (log, definitions) => {
  test.each(Object.values(definitions).map((d) => [d.type, d.v] as const))('%s: every version has a frozen line that still verifies and lifts', (type, current) => {
    for (let v = 1; v <= current; v++) {
      expect(existsSync(join(dir, log, `${type}.v${v}.jsonl`)), `fixtures/log/${log}/${type}.v${v}.jsonl`).toBe(true);
      const line = lineOf(log, type, v);
      expect(checkLine(line, '0'.repeat(64))).toMatchObject({ ok: true });
      const event = lift(log, parseLine(line.toString('utf8')));
      expect(event.unknown).toBeUndefined();
      expect(event.v).toBe(current);
      const checked = definitionOf(log, type)!.schema.safeParse(event.data);
      expect(checked.success, JSON.stringify(checked.error)).toBe(true);
      // Whoever reads `refs` without knowing the type collects rightly.
      expect([...event.refs].sort()).toEqual([...new Set(definitionOf(log, type)!.refs(event.data as never))].sort());
    }
  });
  test('no frozen line is of a type that vanished', () => {
    for (const name of readdirSync(join(dir, log))) expect(definitionOf(log, name.split('.')[0]!), name).toBeDefined();
  });
  test('every lift was run by a frozen line', () => {
    for (const [type, chain] of Object.entries(lifts[log])) expect(definitionOf(log, type)!.v).toBe(chain.length + 1);
  });
  test('a type or version from the future is kept and marked, not folded', () => {
    const event = parseLine(lineOf(log, 'OriginStarted', 1).toString('utf8'));
    expect(lift(log, { ...event, type: 'FromTomorrow' })).toMatchObject({ unknown: true, type: 'FromTomorrow', data: event.data });
    expect(lift(log, { ...event, v: 99 })).toMatchObject({ unknown: true, v: 99 });
  });
});

describe('failures', () => {
  test('every one has words in both languages that name nothing internal', () => {
    for (const language of LANGUAGES) {
      for (const code of ['gate.sensitive', 'change.stale', 'log.full', 'model.key', 'nonsense.code']) {
        const words = sayFailure(language, { code, params: { path: 'a.md' } });
        expect([words.what, words.kept, words.next].join(' ')).not.toMatch(/undefined|\{|\[object|[a-z]+\.[a-z]+[A-Z]/);
      }
    }
  });
});

import { describe, expect, test } from 'vitest';
import { errors } from '#domain/words/errors.ts';
import { catalogue, fill, knowsFailure, say, sayFailure, sayUnknown } from '#domain/words/words.ts';

const names = (text: string) => [...text.matchAll(/\{(\w+)/g)].map((m) => m[1]).filter((n, i, all) => all.indexOf(n) === i).sort();

describe('the catalogue', () => {
  test('says every key in both languages with the same parameters', () => {
    for (const [key, [zh, en]] of Object.entries(catalogue)) {
      expect(zh.trim(), key).not.toBe('');
      expect(en.trim(), key).not.toBe('');
      expect(names(en).filter((n) => !names(zh).includes(n)), key).toEqual([]);
      expect(names(zh).filter((n) => !names(en).includes(n)), key).toEqual([]);
    }
  });
  test('owes every failure three answers in both languages', () => {
    for (const [code, words] of Object.entries(errors)) for (const part of [words.what, words.kept, words.next]) for (const text of part) expect(text.trim(), code).not.toBe('');
  });
  test('falls back to the family of a code and never shows the code', () => {
    expect(sayFailure('zh', { code: 'gate.something.new' }).what).toBe('这一步不被允许');
    expect(sayFailure('en', { code: 'never.heard.of' }).what).toBe('This step did not succeed');
    expect(knowsFailure('gate.outside')).toBe(true);
    expect(sayFailure('en', { code: 'constructor' }).what).toBe('This step did not succeed');
  });
  test('fills parameters and plurals, and hides the name of a missing one', () => {
    expect(fill('{n} {n:file|files} in {where}', { n: 1 })).toBe('1 file in …');
    expect(say('en', 'files.more', { n: 2 })).toBe('Show 2 more files');
    expect(sayUnknown('zh', 'tool.read', { name: 'a.md' })).toBe('读取文件 a.md');
    expect(sayUnknown('zh', 'tool.from.the.future')).toBeNull();
  });
  test('has a short phrase for every tool phrase', () => {
    const tools = Object.keys(catalogue).filter((k) => k.startsWith('tool.') && !k.endsWith('.short'));
    for (const key of tools) expect(Object.keys(catalogue), key).toContain(`${key}.short`);
  });
});

import { describe, expect, it } from 'vitest';
import { applyEdits, replaceAllText } from '#domain/text/edits.ts';
import { decodeEditable, decodeText, encodeText, lineEndOf, withLineEnd } from '#domain/text/encoding.ts';
import { findName } from '#domain/text/file-names.ts';
import { withoutEncodedData } from '#domain/text/shorten.ts';
import { decodeUtf8, encodeUtf8, wholeCharacters } from '#domain/text/utf8.ts';

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'utf8'));
const edited = (text: string, oldText: string, newText: string) => {
  const out = applyEdits(text, [{ oldText, newText }], lineEndOf(text));
  return out.ok ? out.value : out.error.code;
};

describe('UTF-8', () => {
  it('decodes and encodes like the platform', () => {
    const text = 'a é 中 😀 \u0000 \u07ff \u0800 \uffff '.repeat(3000);
    expect(decodeUtf8(bytes(text))).toBe(text);
    expect(encodeUtf8(text)).toEqual(bytes(text));
  });
  it.each([[[0x99]], [[0xc0, 0x80]], [[0xe0, 0x80, 0x80]], [[0xed, 0xa0, 0x80]], [[0xf4, 0x90, 0x80, 0x80]], [[0xf5, 0x80, 0x80, 0x80]], [[0xe4, 0xb8]], [[0xc3, 0x28]], [[0xff]]])('refuses %j', (raw) => {
    expect(decodeUtf8(new Uint8Array(raw))).toBeNull();
  });
  it('agrees with the platform on random bytes', () => {
    let state = 7;
    for (let i = 0; i < 20_000; i++) {
      const raw = new Uint8Array(4).map(() => (state = (state * 1103515245 + 12345) >>> 0) >>> 23 & 0xff);
      let want: string | null;
      try {
        want = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
      } catch {
        want = null;
      }
      expect(decodeUtf8(raw)).toBe(want);
    }
  });
  it('has no bytes for half a pair', () => {
    expect(encodeUtf8('a\ud800')).toBeNull();
    expect(encodeUtf8('\udc00a')).toBeNull();
  });
  it('cuts between characters', () => {
    expect(wholeCharacters(bytes('ab中'), 4)).toEqual(bytes('ab'));
  });
});

describe('encodings', () => {
  it('[WB-EDIT-001-AC6] keeps the mark of a file and adds none', () => {
    expect(encodeText('a', true)).toEqual({ ok: true, value: new Uint8Array([0xef, 0xbb, 0xbf, 0x61]) });
    expect(encodeText('\ufeffa', false)).toEqual({ ok: true, value: new Uint8Array([0x61]) });
    expect(decodeText(new Uint8Array([0xef, 0xbb, 0xbf, 0x61]))).toMatchObject({ value: { text: 'a', bom: true } });
  });
  it('[case 21] reads UTF-16 with a mark as text and never as something to edit', () => {
    const raw = new Uint8Array([0xff, 0xfe, 0x68, 0, 0x69, 0, 0x0a, 0]);
    expect(decodeText(raw)).toMatchObject({ value: { text: 'hi\n', encoding: 'utf-16le' } });
    expect(decodeEditable(raw)).toMatchObject({ error: { code: 'text.notUtf8' } });
    expect(decodeText(new Uint8Array([0x68, 0, 0x69, 0]))).toMatchObject({ error: { code: 'text.binary' } });
  });
  it('[case 19] refuses one wrong byte far away', () => {
    expect(decodeEditable(new Uint8Array([...bytes('ok\n'.repeat(999)), 0x99]))).toMatchObject({ error: { code: 'text.notUtf8' } });
  });
  it('names line ends', () => {
    expect(['a', 'a\n', 'a\r\n', 'a\r', 'a\r\nb\n'].map(lineEndOf)).toEqual(['none', 'lf', 'crlf', 'cr', 'mixed']);
  });
  it('[case 15] gives LF text the line ends of the file', () => {
    expect(withLineEnd('a\nB\nc\n', 'crlf')).toBe('a\r\nB\r\nc\r\n');
    expect(withLineEnd('a\r\nb\n', 'lf')).toBe('a\r\nb\n');
  });
});

describe('[WB-APPLY-002-AC4] exact edits', () => {
  it('[case 25] writes dollar signs literally', () => {
    expect(edited('log("done");', 'done', '$& $1 $$ $`')).toBe('log("$& $1 $$ $`");');
    expect(replaceAllText('x x', { oldText: 'x', newText: '$&$1' }, 'none')).toMatchObject({ value: { text: '$&$1 $&$1', count: 2 } });
  });
  it('[case 27] leaves every other character of the line', () => {
    expect(edited('const MAX = 3; // 再試行（最大３回）ｱｲｳ — 設定', '3;', '5;')).toBe('const MAX = 5; // 再試行（最大３回）ｱｲｳ — 設定');
  });
  it('[case 31] adds and drops no last newline', () => {
    expect(edited(edited(edited('abc', 'a', 'x'), 'b', 'y'), 'c', 'z')).toBe('xyz');
    expect(edited('abc\n', 'b', 'B')).toBe('aBc\n');
  });
  it('[case 15] matches LF text in a CRLF file', () => {
    expect(edited('a\r\nb\r\nc\r\n', 'a\nb', 'A\nX\nB')).toBe('A\r\nX\r\nB\r\nc\r\n');
    expect(edited('a\r\nb\r\n', 'b', 'B\nC')).toBe('a\r\nB\r\nC\r\n');
    expect(replaceAllText('a\r\nb\r\na\r\nb\r\n', { oldText: 'a\nb', newText: 'c\nd' }, 'crlf')).toMatchObject({ value: { text: 'c\r\nd\r\nc\r\nd\r\n', count: 2 } });
  });
  it('refuses what is missing, doubled, overlapping, empty or no change', () => {
    expect(edited('aaa', 'aa', 'b')).toBe('edit.notUnique');
    expect(edited('a', 'x', 'b')).toBe('edit.notFound');
    expect(edited('a', '', 'b')).toBe('edit.empty');
    expect(edited('a', 'a', 'a')).toBe('edit.same');
    expect(applyEdits('abcd', [{ oldText: 'abc', newText: '' }, { oldText: 'cd', newText: '' }], 'none')).toMatchObject({ error: { code: 'edit.overlap' } });
    expect(applyEdits('abcd', [], 'none')).toMatchObject({ error: { code: 'edit.none' } });
    expect(applyEdits('abcd', [{ oldText: 'cd', newText: 'a' }, { oldText: 'ab', newText: 'd' }], 'none')).toMatchObject({ value: 'da' });
  });
});

describe('names and shortening', () => {
  it('[case 23] finds the only name of the same spelling', () => {
    const nfd = 'Übung 가.pdf'.normalize('NFD');
    expect(findName('Übung 가.pdf'.normalize('NFC'), [nfd, 'x'])).toEqual({ found: 'one', name: nfd });
    expect(findName('é'.normalize('NFC'), ['é'.normalize('NFD'), 'x'])).toMatchObject({ found: 'one' });
    expect(findName('ế', ['e\u0302\u0301', '\u00ea\u0301'])).toMatchObject({ found: 'several' });
  });
  it('cuts encoded data and says how much', () => {
    const short = withoutEncodedData('![](data:image/png;base64,' + 'QUJD'.repeat(5000) + ')');
    expect(short.text.length).toBeLessThan(300);
    expect(short.cut).toBe(20_000 - 64);
    expect(withoutEncodedData('plain words '.repeat(500)).cut).toBe(0);
  });
});

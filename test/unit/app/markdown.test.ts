import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { colourCode } from '#app/ui/markdown/colour.ts';
import { cutBlocks, openFence } from '#app/ui/markdown/blocks.ts';
import { imageHost, isInlineImage, linkTarget } from '#app/ui/markdown/links.ts';
import { mathHtml } from '#app/ui/markdown/math.ts';
import { createParser } from '#app/ui/markdown/parser.ts';

const md = createParser({ copyCode: 'Copy', unavailable: 'off', remoteImage: (h) => h, blockedImage: 'no' });

describe('where a link may lead', () => {
  const corpus = JSON.parse(readFileSync(new URL('../../../fixtures/corpora/markdown-xss.json', import.meta.url), 'utf8')) as { cases: { id: string; family: string; markdown: string; expect: { onClick?: string } }[] };
  const kinds: Record<string, readonly string[]> = { blocked: ['blocked', 'file'], browser: ['web'], 'system-confirm': ['mail'], 'file-preview': ['file'] };
  for (const c of corpus.cases.filter((x) => x.family.startsWith('link-'))) {
    test(`[case 85] ${c.id} ${c.markdown}`, () => {
      const token = md.parseInline(c.markdown, {})[0]?.children?.find((t) => t.type === 'link_open');
      const kind = token ? linkTarget(String(token.attrGet('href'))).kind : 'blocked';
      expect(kinds[c.expect.onClick ?? 'blocked']).toContain(kind);
      // A path that no address holds is refused by the host; everything else blocked is blocked here.
      if (c.expect.onClick === 'blocked' && c.id !== 'M081') expect(kind).toBe('blocked');
    });
  }
  test.each(['JaVaScRiPt:x', 'java\nscript:x', 'vbscript:x', 'file:///etc/passwd', '//evil.test/x', '\\\\evil.test\\s', '/\\evil', 'http://127.1.2.3/', 'http://2130706433/', 'http://0x7f.1/', 'http://localhost:80/', 'http://a.localhost', 'http://[::ffff:127.0.0.1]/', 'http://0/', 'https://', 'C:\\a\\b.exe', '/a/b.sh', '/a/b.lnk .', '%6aavascript:x', 'https://a\u202eb.test/', 'mailto:a@b.c,d@e.f', 'view-source:https://a.test', 'blob:https://a.test/x', 'http://[::ffff:7f00:1]/', '', 'a/b.md'])('%s is blocked', (href) => {
    expect(linkTarget(href).kind).toBe('blocked');
  });
  test('the host shown is the one really visited', () => {
    expect(linkTarget('https://user:pass@evil.test@good.test/')).toMatchObject({ kind: 'web', host: 'good.test' });
    expect(linkTarget('https://xn--fiqs8s.test')).toMatchObject({ kind: 'web' });
    expect(linkTarget('https://аpple.test')).toMatchObject({ host: 'xn--pple-43d.test' });
  });
  test('mail carries the address only, and a heading is a place in the same text', () => {
    expect(linkTarget('mailto:a@b.c?subject=x&attach=/etc/passwd')).toEqual({ kind: 'mail', address: 'a@b.c', url: 'mailto:a@b.c' });
    expect(linkTarget('#%E4%B8%8B%E4%B8%80-step')).toEqual({ kind: 'here', slug: '下一-step' });
  });
  test('only raster bytes show at once', () => {
    expect(isInlineImage('data:image/png;base64,AAAA')).toBe(true);
    expect(isInlineImage('data:image/svg+xml;base64,AAAA')).toBe(false);
    expect(isInlineImage('data:image/png,<svg>')).toBe(false);
    expect(imageHost('https:\\\\evil.test/p')).toBe('evil.test');
    expect(imageHost('\\\\evil\\a')).toBeNull();
  });
});

describe('a text that grows', () => {
  const source = '# A\n\npara one\npara two\n\n- a\n- b\n\n  c\n\n```js\nx\n```\n\n| a |\n|---|\n| b |\n\n> q\n\n***bold*** end\n';
  test('finished blocks of any prefix are the beginning of the blocks of the whole', () => {
    const whole = [...cutBlocks(md, source + '\nlast\n').done].join('');
    for (let n = 1; n <= source.length; n++) {
      const { done, rest } = cutBlocks(md, source.slice(0, n));
      expect(whole.startsWith(done.join(''))).toBe(true);
      expect(done.join('').length).toBe(rest);
      // Drawing block by block is drawing the whole.
      expect(done.map((b) => md.render(b)).join('')).toBe(md.render(done.join('')));
    }
  });
  test('a line without its end settles nothing: *** may become bold', () => {
    expect(cutBlocks(md, 'para\n***').rest).toBe(0);
    expect(cutBlocks(md, 'para\n\n***\n').rest).toBe(6);
  });
  test('an open fence grows by its text; half a closing line waits', () => {
    expect(openFence('```js\nab\nc')).toEqual({ language: 'js', code: 'ab\nc' });
    expect(openFence('```js\nab\n``')).toEqual({ language: 'js', code: 'ab\n' });
    expect(openFence('```js\nab\n```\n')).toBeNull();
    expect(openFence('```js')).toBeNull();
  });
});

describe('colour in code', () => {
  const colour = (code: string, language = 'ts') => colourCode(code, language, md.utils.escapeHtml);
  const text = (html: string) => html.replace(/<\/?span[^>]*>/g, '');
  test('marks words, numbers, strings and comments, and keeps the text', () => {
    expect(colour('const a = 5 // <b>')).toBe('<span class="k">const</span> a = <span class="nu">5</span> <span class="co">// &lt;b&gt;</span>');
    expect(colour('"<img onerror=x>"')).toBe('<span class="st">&quot;&lt;img onerror=x&gt;&quot;</span>');
    expect(colour('a # b', 'python')).toContain('class="co"');
    expect(colour('https://a.test/x')).not.toContain('class="co"');
    expect(colour('const', 'text')).toBe('const');
    for (const code of ['/* open', '`open', "'", '"\\', 'x'.repeat(50_000), '"'.repeat(9999)]) expect(text(colour(code))).toBe(md.utils.escapeHtml(code));
  });
});

describe('formulas', () => {
  const of = (s: string) => mathHtml(s, md.utils.escapeHtml);
  test('powers, indices, fractions and signs', () => {
    expect(of('E=mc^2')).toBe('<i>E</i>=<i>m</i><i>c</i><sup>2</sup>');
    expect(of('\\frac{a}{b_1}')).toBe('<span class="frac"><span><i>a</i></span><span><i>b</i><sub>1</sub></span></span>');
    expect(of('\\alpha \\le <')).toBe('α ≤ &lt;');
  });
  test('what is not known is not read', () => {
    for (const s of ['\\href{javascript:x}{y}', '\\includegraphics{a}', '{'.repeat(50), '\\frac{a}', '}', 'a&b']) expect(of(s)).toBeNull();
  });
  test('prices are no formulas', () => expect(md.renderInline('$5 and $6')).toBe('$5 and $6'));
});

import { describe, expect, it } from 'vitest';
import { isWithin, joinPath, normalisePath } from '#domain/policy/flavour.ts';
import { isDangerousName, isSensitiveName, isSensitivePath } from '#domain/policy/names.ts';
import { checkBareName, checkPathText } from '#domain/policy/path-text.ts';
import { isStage, isSystemPath } from '#domain/policy/system-folders.ts';

const codeOf = (path: string, flavour: 'posix' | 'win32' | 'darwin') => {
  const checked = checkPathText(path, flavour);
  return checked.ok ? 'ok' : checked.error.code;
};

describe('names by rule', () => {
  it.each(['a.exe', 'A.BAT', 'x.cmd', 'x.Ps1', 'x.vbs', 'x.msi', 'x.scr', 'x.reg', 'x.com', 'x.pif', 'x.lnk', 'report.pdf.exe', '.bat', 'a.exe ', 'a.exe.', 'a.exe. .', 'a.ｅｘｅ', 'a.exe\u3000'])('[WA-POLICY-05] takes %j for dangerous', (name) => {
    expect(isDangerousName(name)).toBe(true);
  });
  it.each(['a.exe.txt', 'com.example.json', 'exe', 'msi-notes.md', 'a.comx', 'lnk.md'])('[WA-POLICY-05] takes %j for harmless', (name) => {
    expect(isDangerousName(name)).toBe(false);
  });
  it.each(['.env', '.Env', '.env.local', 'a.pem', 'A.KEY', 'id_rsa', 'id_ed25519.pub', 'c.pfx', 'c.p12', 'credentials.json', 'Secrets.json', 'to\u212Aen.json', 'ſecret.md', 'prıvate.md', 'APIKEY.txt', 'my_api_key.yaml', 'tokenizer.ts', '.env.', '.envrc', 'id_rsa_work', 'id_rsa '])('[WA-POLICY-06] [WA-POLICY-07] takes %j for sensitive', (name) => {
    expect(isSensitiveName(name)).toBe(true);
  });
  it.each(['keyboard.ts', 'my.keys.md', 'pem.md', 'environment.md', 'my.env.md', 'sécret.md', 'notes.md', 'api-key.md', 'key'])('[WA-POLICY-06] takes %j for ordinary', (name) => {
    expect(isSensitiveName(name)).toBe(false);
  });
  it('takes everything in a folder of keys for sensitive, and no ordinary folder by its name', () => {
    expect(isSensitivePath('/home/u/.ssh/config', 'file', 'posix')).toBe(true);
    expect(isSensitivePath('/ws/private/notes.md', 'file', 'posix')).toBe(false);
  });
});

describe('[WA-CFILE-03] how a path is written', () => {
  it.each([
    ['', 'gate.name.empty'], ['a\0', 'gate.name.control'], ['a\u0085b', 'gate.name.control'], ['a\ud800b', 'gate.name.control'], ['inv\u202efdp.md', 'gate.name.invisible'], ['a\u2066b', 'gate.name.invisible'],
    ['re\u200bport.md', 'gate.name.invisible'], ['\ufeffa', 'gate.name.invisible'], ['a\u00adb', 'gate.name.invisible'], ['a\u3164', 'gate.name.invisible'], ['a\u{e0041}b', 'gate.name.invisible'], ['file:///etc/passwd', 'gate.name.url'],
    ['ftp://x/y', 'gate.name.url'], ['~/x', 'gate.name.home'], ['~', 'gate.name.home'], ['a\\b', 'gate.name.backslash'], ['x'.repeat(256), 'gate.name.long'], ['长'.repeat(86), 'gate.name.long'], ['a/'.repeat(300) + 'x', 'gate.name.deep'],
    ['a/'.repeat(5000) + 'x', 'gate.name.long'], ['tool.exe ', 'gate.name.blankTail'], ['a\u2003', 'gate.name.blankTail'],
  ])('refuses %j on every system', (path, code) => {
    for (const flavour of ['posix', 'win32', 'darwin'] as const) expect(codeOf(path, flavour)).toBe(code);
  });
  it.each(['👨‍👩‍👧.md', '❤️.md', 'می‌خواهم.txt', 'Übung 가.pdf', '文档/说明 第一版.md', 'a b/c.txt', '.hidden', '~$report.docx', 'a+b,c;d=e@f#g!.md'])('takes %j on every system', (path) => {
    for (const flavour of ['posix', 'win32', 'darwin'] as const) expect(codeOf(path, flavour)).toBe('ok');
  });
  it.each([
    ['C:x', 'gate.name.drive'], ['\\\\?\\C:\\x', 'gate.name.device'], ['//server/share', 'gate.name.device'], ['a.txt:s', 'gate.name.illegal'], ['a.', 'gate.name.blankTail'], ['NUL .txt', 'gate.name.device'],
    ['com¹', 'gate.name.device'], ['docs/aux/x', 'gate.name.device'], ['PROGRA~1/x', 'gate.name.short'], ['a?b', 'gate.name.illegal'], ['conout$', 'gate.name.device'], ['clock$.txt', 'gate.name.device'],
  ])('refuses %j on Windows', (path, code) => {
    expect(codeOf(path, 'win32')).toBe(code);
  });
  it('refuses the resource fork on macOS', () => {
    expect(codeOf('a.txt/..namedfork/rsrc', 'darwin')).toBe('gate.name.illegal');
  });
  it.each(['a/b', 'a\\b', '', '.', '..'])('[WA-RENAME-02] refuses %j as a bare name', (name) => {
    expect(checkBareName(name, 'posix').ok).toBe(false);
  });
});

describe('folders', () => {
  it('compares names, never the beginning of the text', () => {
    expect(isWithin('/ws-evil/x', '/ws', 'posix', 'loose')).toBe(false);
    expect(isWithin('/ws/x', '/ws', 'posix', 'exact')).toBe(true);
    expect(isWithin('/WS/x', '/ws', 'posix', 'exact')).toBe(false);
    expect(isWithin('c:\\WS\\x', 'C:\\ws', 'win32', 'loose')).toBe(true);
  });
  it('takes dots back by text', () => {
    expect(joinPath('/ws', 'a/../../b', 'posix')).toBe('/b');
    expect(normalisePath('c:/a/./b\\..\\c', 'win32')).toBe('C:\\a\\c');
    expect(normalisePath('//etc//passwd', 'posix')).toBe('/etc/passwd');
  });
  it('[WA-POLICY-04] knows the system', () => {
    expect(isSystemPath('/usr/lib/x', 'posix', '/home/u')).toBe(true);
    expect(isSystemPath('/root/a', 'posix', '/root')).toBe(false);
    expect(isSystemPath('/root/a', 'posix', '/home/u')).toBe(true);
    expect(isSystemPath('c:\\windows\\x', 'win32', null)).toBe(true);
    expect(isSystemPath('D:\\PROGRAM FILES\\x', 'win32', null)).toBe(true);
    expect(isSystemPath('/Users/u/Library/Keychains', 'darwin', '/Users/u')).toBe(true);
    expect(isSystemPath('/Users/u/Library/CloudStorage/x', 'darwin', '/Users/u')).toBe(false);
    expect(isSystemPath('/home/u/usr/x', 'posix', '/home/u')).toBe(false);
    expect(isStage('C:\\', 'win32')).toBe(true);
    expect(isStage('/home', 'posix')).toBe(true);
    expect(isStage('/home/u', 'posix')).toBe(false);
  });
});

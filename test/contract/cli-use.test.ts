import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseArguments } from '#main/hosts/cli/arguments.ts';
import { COMMANDS } from '#main/hosts/cli/commands.ts';
import { grammarOf, misuse, optionsOf } from '#main/hosts/cli/grammar.ts';
import { EXIT } from '#main/hosts/cli/output.ts';
import { Cli, SCRIPT } from '../support/cli/cli.ts';

const cli = new Cli();
afterAll(() => cli.close());
const doc = readFileSync(join(import.meta.dirname, '../../docs/CLI.md'), 'utf8');
const uses = [...COMMANDS.values()].map((k) => k.command.use);

describe('the use lines', () => {
  test('docs/CLI.md has those of the code, each once, and no other', () => {
    const documented = [...doc.matchAll(/^\| `([^`]+)` \|/gm)].map((m) => m[1]!.replaceAll('\\|', '|'));
    expect(documented).toEqual(uses);
  });

  test('docs/CLI.md names every exit code and every option that all commands have', () => {
    for (const code of Object.values(EXIT)) expect(doc).toMatch(new RegExp(`\`${code}\` `));
    for (const option of ['--data', '--json', '--help', 'CURATOR_DATA', 'CURATOR_RUN']) expect(doc).toContain(option);
  });

  test('a use line is read as it is meant', () => {
    expect(grammarOf('send PARTNER TEXT [--approve all|none] --url URL [--force] [WORD] [--limit 1..9]')).toEqual({
      name: 'send',
      words: [{ text: 'PARTNER', needed: true }, { text: 'TEXT', needed: true }, { text: 'WORD', needed: false }],
      options: new Map<string, unknown>([['approve', { text: 'all|none', needed: false }], ['url', { text: 'URL', needed: true }], ['force', null], ['limit', { text: '1..9', needed: false }]]),
    });
    expect([grammarOf('partner pin PARTNER [on|off]').name, grammarOf('tools').name, grammarOf('verify [PARTNER]').name]).toEqual(['partner pin', 'tools', 'verify']);
  });
});

/** What is wrong with a command line, before anything is opened; null when it may run. */
function wrong(line: readonly string[]): string | null {
  const args = parseArguments(line, optionsOf([...COMMANDS.values()].map((k) => k.grammar)));
  if ('problem' in args) return args.problem;
  const name = [args.words.slice(0, 2).join(' '), args.words[0] ?? ''].find((n) => COMMANDS.has(n))!;
  return misuse(COMMANDS.get(name)!.grammar, args.words.slice(name.split(' ').length), args);
}

test.each([
  ['an option of no command', ['tools', '--colour-blind'], /no option --colour-blind/],
  ['an option in capitals', ['send', 'a', 'b', '--Approve', 'all'], /no option --Approve/],
  ['a short option', ['verify', '-f'], /no option -f/],
  ['an option of another command', ['partner', 'list', '--force'], /partner list has no option --force/],
  ['an option without its value', ['log', 'a', '--from'], /--from needs a value/],
  ['an option whose value is an option', ['log', 'a', '--from', '--json'], /--from needs a value/],
  ['an empty value', ['log', 'a', '--data='], /--data needs a value/],
  ['a value for a flag, so that --force=no does not force', ['revert', 'c', '--force=no'], /--force takes no value/],
  ['an option twice', ['address', 'add', 'p', '--policy', 'confirm', '--policy=direct'], /--policy is given twice/],
  ['a missing word', ['guide', 'run_x'], /TEXT is missing/],
  ['an empty word', ['send', 'a', ' '], /TEXT is missing/],
  ['a missing option', ['provider', 'add', 'n', '--models', 'm'], /--url is missing/],
  ['a word too many', ['partner', 'rename', 'a', 'New', 'Name'], /“Name” is one word too many/],
  ['a policy that is none', ['address', 'add', 'p', '--policy', 'write'], /--policy is one of readOnly, confirm, direct, not “write”/],
  ['a state that is none', ['partner', 'pin', 'a', 'maybe'], /is one of on, off/],
  ['a number that is none', ['log', 'a', '--from', '1e3'], /--from is a whole number of 1 or more/],
  ['zero', ['show', 'a', '--limit', '0'], /--limit is a whole number from 1 to 100/],
  ['more than is given at once', ['changes', 'a', '--limit=201'], /--limit is a whole number from 1 to 200/],
])('wrong use is named: %s', (_what, line, problem) => expect(wrong(line)).toMatch(problem));

test.each([
  ['send', 'a', 'two', 'words', '--approve', 'none'],
  ['send', 'a', '--', '--approve', '-x'],
  ['send', 'a', '-5 degrees', '- a list'],
  ['partner', 'pin', 'a', 'off'],
  ['verify'],
  ['verify', 'a', '--json', '--data=/x'],
  ['log', 'a', '--from', '7', '--limit', '1000'],
])('right use is let through: %s %s %s %s', (...line) => expect(wrong(line)).toBeNull());

test('wrong use ends with 2, says what is wrong and how it is written, and touches nothing', async () => {
  const [unknown, typo, none, json] = await Promise.all([cli.run('partner', 'remove', 'Maple'), cli.run('revert', 'x', '--forced'), cli.run(), cli.run('send', 'Maple', '--json', 'hi', '--approve', 'yes')]);
  expect([unknown.code, typo.code, none.code, json.code]).toEqual([2, 2, 2, 2]);
  expect(unknown.err).toMatch(/\[cli\.usage\]\nthere is no command “partner remove”[\s\S]*--help/);
  expect(typo.err).toContain('there is no option --forced');
  expect(none.err).toContain('a command is missing');
  expect([unknown.out, typo.out, none.out]).toEqual(['', '', '']);
  expect(json.err).toBe('');
  expect(JSON.parse(json.out)).toMatchObject({ error: { code: 'cli.usage', detail: expect.stringContaining('“yes”'), use: expect.stringContaining('curator send PARTNER'), next: expect.stringContaining('--help') } });
  expect(() => cli.holding('')).toThrow(/ENOENT/);
});

test('from a clone it runs by its script; --help has every command, or the one that is named', async () => {
  const [all, one] = await Promise.all([cli.start(['--help'], {}, SCRIPT).ended, cli.run('send', '--help')]);
  expect([all.code, one.code]).toEqual([0, 0]);
  for (const use of uses) expect(all.lines).toContain(`  curator ${use}`);
  expect(one.lines.slice(1)).toEqual([`  curator ${uses.find((u) => u.startsWith('send '))!}`]);
});

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BUILT, Cli, Started } from '../support/cli/cli.ts';
import { furnish } from '../support/cli/inside.ts';

/** Gives a command a terminal of its own; a part of every Linux system. */
const SCRIPT = '/usr/bin/script';
const onTerminal = test.skipIf(process.platform !== 'linux' || !existsSync(SCRIPT));

let cli: Cli;
beforeEach(async () => {
  cli = new Cli();
  writeFileSync(join(cli.work, 'note.md'), 'TODO\n');
  await furnish(cli, 'confirm');
});
afterEach(() => cli.close());

/** Sends on a terminal, and types once it is asked. */
async function typed(keys: string): Promise<{ readonly code: number | null; readonly out: string }> {
  const line = `"${process.execPath}" "${BUILT}" send Maple 'replace TODO with DONE in note.md'`;
  const sending = new Started(spawn(SCRIPT, ['-qefc', line, '/dev/null'], { env: cli.env(), cwd: cli.work, stdio: ['pipe', 'pipe', 'pipe'] }));
  await sending.says('[y/N] ');
  sending.child.stdin!.write(keys);
  return sending.ended;
}

onTerminal('--approve ask asks on the terminal, says what about, and takes a plain yes only', async () => {
  const no = await typed('maybe\n');
  expect([no.code, readFileSync(join(cli.work, 'note.md'), 'utf8')]).toEqual([0, 'TODO\n']);
  const yes = await typed('y\n');
  expect(yes.out).toContain(`? replaceAll ${join(cli.work, 'note.md')}`);
  expect([yes.code, readFileSync(join(cli.work, 'note.md'), 'utf8')]).toEqual([0, 'DONE\n']);
});

onTerminal('Ctrl-C at the question stops the run and changes nothing; the end of the input leaves it waiting', async () => {
  const stopped = await typed('\x03');
  expect(stopped.out).toMatch(/\[stopped\] run_/);
  expect(stopped.code).toBe(130);
  const left = await typed('\x04');
  expect(left.out).toMatch(/\[waiting\] run_/);
  expect(left.code).toBe(3);
  expect(readFileSync(join(cli.work, 'note.md'), 'utf8')).toBe('TODO\n');
});

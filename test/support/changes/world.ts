import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressId } from '#domain/ids.ts';
import type { GateAddress, GateContext } from '#main/gate/types.ts';

/** The corpus' layout, for real: a work address `ws`, a sibling `out` with a canary, and look-alikes. */
export interface World {
  readonly base: string;
  readonly ws: string;
  readonly out: string;
  readonly data: string;
  readonly canary: string;
  expand(text: string): string;
  set(step: string): void;
  outside(): string;
  clean(): void;
}

export function makeWorld(): World {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'changes-')));
  const [ws, out, data] = [join(base, 'ws'), join(base, 'out'), join(base, 'data')];
  const canary = `canary-${createHash('sha256').update(base).digest('hex').slice(0, 24)}`;
  for (const dir of [ws, out, data, join(ws, 'src'), join(ws, 'docs'), join(data, 'blobs')]) mkdirSync(dir, { recursive: true });
  for (const sibling of [out, `${ws}-evil`, `${ws}2`, `${ws}.bak`, `${ws} `, join(data, 'blobs')]) {
    mkdirSync(sibling, { recursive: true });
    writeFileSync(join(sibling, 'canary.txt'), canary);
  }
  writeFileSync(join(base, 'x.txt'), canary);
  writeFileSync(join(ws, 'README.md'), '# Read me\n');
  writeFileSync(join(ws, 'src', 'main.cpp'), 'int main() { return 0; }\n');
  for (const name of ['.env', 'secrets.json', 'token.json', 'id_rsa', 'a.exe']) writeFileSync(join(ws, name), `SECRET=${canary}\n`);
  writeFileSync(join(ws, 'a.txt'), 'plain\n');
  const expand = (text: string) => text.replaceAll('${WS}', ws).replaceAll('${OUT}', out).replaceAll('${LINKROOT}', join(base, 'linkroot')).replaceAll('${APPDATA}', data);
  return {
    base, ws, out, data, canary, expand,
    set: (step) => setStep(expand(step), ws),
    outside: () => treeHash(base, new Set([ws])),
    clean: () => rmSync(base, { recursive: true, force: true }),
  };
}

function setStep(step: string, ws: string): void {
  const link = /^ln -s (\S+) (\S+)$/.exec(step);
  const hard = /^ln (\S+) (\S+)$/.exec(step);
  const dir = /^mkdir (\S+)$/.exec(step);
  const socket = /^unix socket at (\S+)$/.exec(step);
  const write = /^write NFC name (.+)$/.exec(step);
  if (link) symlinkSync(link[1]!, link[2]!);
  else if (hard) linkSync(hard[1]!, hard[2]!);
  else if (dir) mkdirSync(dir[1]!);
  else if (socket) execFileSync(process.execPath, ['-e', `require('net').createServer().listen(${JSON.stringify(socket[1])},()=>process.exit(0))`]);
  else if (write) writeFileSync(join(ws, write[1]!), 'coffee\n');
}

/** One hash over names, kinds, link targets, modes and bytes of a tree. */
export function treeHash(top: string, skip: ReadonlySet<string> = new Set()): string {
  const hash = createHash('sha256');
  const walk = (dir: string) => {
    for (const name of readdirSync(dir).sort()) {
      const path = join(dir, name);
      if (skip.has(path)) continue;
      const stat = lstatSync(path);
      hash.update(`${path}\0${stat.mode}\0`);
      if (stat.isSymbolicLink()) hash.update(readlinkSync(path));
      else if (stat.isDirectory()) walk(path);
      else if (stat.isFile()) hash.update(readFileSync(path));
    }
  };
  if (existsSync(top)) walk(top);
  return hash.digest('hex');
}

export const ADDRESS = ('address_' + 'a'.repeat(26)) as AddressId;

export function address(root: string, policy: GateAddress['policy'] = 'confirm', name = 'ws', id = ADDRESS): GateAddress {
  return { address: id, root, name, policy };
}

export function context(addresses: readonly GateAddress[], more: Partial<GateContext> = {}): GateContext {
  return { caller: 'local', permission: 'review', addresses, pointedAt: [], ...more };
}


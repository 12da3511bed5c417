import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AddressId } from '#domain/ids.ts';
import { createGate } from '#main/gate/gate.ts';
import type { GateContext, GateOp, Verdict } from '#main/gate/types.ts';
import { realFs } from '#test/support/changes/real-fs.ts';
import { address, context, makeWorld, type World } from '#test/support/changes/world.ts';

let world: World;
let w2: string;
beforeEach(() => {
  world = makeWorld();
  w2 = join(world.base, 'w2');
  mkdirSync(w2);
});
afterEach(() => world.clean());

const id = (letter: string) => ('address_' + letter.repeat(26)) as AddressId;
const gate = () => createGate({ fs: realFs(), flavour: 'posix', home: null, dataDir: world.data });
const say = (verdict: Verdict) => (verdict.verdict === 'refuse' ? verdict.code : verdict.verdict);
const judge = async (op: GateOp, path: string, more: Partial<GateContext> = {}, addresses = [address(world.ws)]) => gate().judge(op, path, context(addresses, more));
const MODEL = { caller: 'model', permission: 'review' } as const;
const FULL = { caller: 'model', permission: 'full' } as const;

describe('the gate', () => {
  it('[WB-COMPOSER-010-AC4] lets a file that the person pointed at be read, and only read', async () => {
    const file = join(world.out, 'plain.txt');
    writeFileSync(file, 'x');
    expect(say(await judge('read', file))).toBe('gate.outside');
    expect(say(await judge('read', file, { pointedAt: [file] }))).toBe('do');
    expect(say(await judge('write', file, { pointedAt: [file] }))).toBe('gate.outside');
    expect(say(await judge('read', join(world.ws, '.env'), { pointedAt: [join(world.ws, '.env')] }))).toBe('gate.sensitive');
  });
  it('[C-05] asks a reviewed run before anything outside, and lets full access', async () => {
    for (const op of ['read', 'create', 'write'] as const) {
      expect(say(await judge(op, join(world.out, 'plain.txt'), MODEL))).toBe('ask');
      expect(say(await judge(op, join(world.out, 'plain.txt'), FULL))).toBe('do');
    }
  });
  it('[C-46] refuses system, own data, secrets and programs under full access too', async () => {
    expect(say(await judge('read', '/etc/hosts', FULL))).toBe('gate.system');
    expect(say(await judge('read', join(world.data, 'blobs/canary.txt'), FULL))).toBe('gate.ownData');
    expect(say(await judge('write', 'token.json', FULL))).toBe('gate.sensitive');
    expect(say(await judge('create', 'run.cmd', FULL))).toBe('gate.dangerous');
  });
  it('[C-46] never reaches the own data through an address that holds it, nor moves a folder that does', async () => {
    const above = [address(world.base, 'direct')];
    expect(say(await judge('read', 'data/blobs/canary.txt', FULL, above))).toBe('gate.ownData');
    symlinkSync(world.data, join(world.base, 'alias'));
    expect(say(await judge('read', 'alias/blobs/canary.txt', FULL, above))).toBe('gate.ownData');
    mkdirSync(join(world.base, 'holder', 'data'), { recursive: true });
    const inner = createGate({ fs: realFs(), flavour: 'posix', home: null, dataDir: join(world.base, 'holder', 'data') });
    for (const op of ['trash', 'move', 'rename'] as const) expect(say(await inner.judge(op, 'holder', context(above, FULL)))).toBe('gate.ownData');
  });
  it('finds the address of a relative path: where it exists, by name, else the first', async () => {
    const two = [address(world.ws, 'confirm', 'ws', id('a')), address(w2, 'direct', 'w2', id('b'))];
    writeFileSync(join(w2, 'only.txt'), 'x');
    writeFileSync(join(w2, 'a.txt'), 'x');
    expect(await judge('read', 'only.txt', MODEL, two)).toMatchObject({ verdict: 'do', target: { path: join(w2, 'only.txt'), address: { name: 'w2' } } });
    expect(await judge('create', 'w2/new.txt', MODEL, two)).toMatchObject({ verdict: 'do', target: { path: join(w2, 'new.txt') } });
    expect(await judge('create', 'new.txt', MODEL, two)).toMatchObject({ verdict: 'ask', target: { path: join(world.ws, 'new.txt') } });
    expect(say(await judge('read', 'a.txt', MODEL, two))).toBe('gate.ambiguous');
    expect(say(await judge('read', 'a.txt', MODEL, []))).toBe('gate.noAddress');
  });
  it('applies the policy of the innermost address, and keeps nested ones in place', async () => {
    const nested = [address(world.ws, 'direct', 'ws', id('a')), address(join(world.ws, 'docs'), 'readOnly', 'docs', id('b'))];
    expect(say(await judge('create', join(world.ws, 'docs/x.txt'), FULL, nested))).toBe('gate.readOnly');
    expect(say(await judge('create', join(world.ws, 'x.txt'), FULL, nested))).toBe('do');
    expect(say(await judge('trash', join(world.ws, 'docs'), FULL, nested))).toBe('gate.readOnly');
    const free = [nested[0]!, { ...nested[1]!, policy: 'direct' as const }];
    expect(say(await judge('trash', join(world.ws, 'docs'), FULL, free))).toBe('gate.root.itself');
  });
  it('follows a link into another address, under that address\'s policy', async () => {
    symlinkSync(w2, join(world.ws, 'other'));
    const two = [address(world.ws, 'direct', 'ws', id('a')), address(w2, 'readOnly', 'w2', id('b'))];
    expect(say(await judge('read', join(world.ws, 'other/x.txt'), FULL, two))).toBe('do');
    expect(say(await judge('create', join(world.ws, 'other/x.txt'), FULL, two))).toBe('gate.readOnly');
  });
  it('permits nothing in an address that is gone', async () => {
    const gone = [address(join(world.base, 'unplugged'), 'direct')];
    expect(say(await judge('read', join(world.base, 'unplugged/a.txt'), {}, gone))).not.toBe('do');
    expect(say(await judge('read', 'a.txt', {}, gone))).toBe('gate.noAddress');
  });
  it('keeps away from its own temporary names', async () => {
    expect(say(await judge('create', `.curator-${'a'.repeat(26)}.tmp`, FULL))).toBe('gate.name.reserved');
  });
  it('asks before a write that another name would show', async () => {
    linkSync(join(world.ws, 'a.txt'), join(world.ws, 'twin.txt'));
    expect(await judge('write', 'a.txt', MODEL, [address(world.ws, 'direct')])).toMatchObject({ verdict: 'ask', reason: 'gate.ask.otherNames' });
  });
  it('[WA-TESTSELECT-03] refuses a root that is missing, a file, relative or written oddly', async () => {
    const root = async (path: string) => {
      const judged = await gate().judgeRoot(path);
      return judged.ok ? judged.value : judged.error.code;
    };
    expect(await root(world.ws)).toBe(world.ws);
    expect(await root(join(world.base, 'nope'))).toBe('gate.root.missing');
    expect(await root(join(world.ws, 'a.txt'))).toBe('gate.root.notFolder');
    expect(await root('ws')).toBe('gate.root.relative');
    expect(await root(world.data)).toBe('gate.root.ownData');
    expect(await root('/usr')).toBe('gate.root.system');
    expect(await root('/')).toBe('gate.root.wholeDisk');
    symlinkSync('/usr', join(world.base, 'sneaky'));
    expect(await root(join(world.base, 'sneaky'))).toBe('gate.root.system');
  });
});

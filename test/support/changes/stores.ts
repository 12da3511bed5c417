import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Change } from '#domain/events/index.ts';
import type { CallId, ChangeId, Hash, RunId } from '#domain/ids.ts';
import { fail, ok } from '#domain/result.ts';
import { openBlobStore } from '#main/blobs/blob-store.ts';
import type { BlobStore } from '#main/blobs/types.ts';
import { createChanges } from '#main/changes/changes.ts';
import type { ChangesDeps } from '#main/changes/kit.ts';
import type { ChangedExtra, ChangeJournal, ChangeRequest } from '#main/changes/types.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { createFreedesktopTrash } from '#main/trash/freedesktop.ts';
import { realFs } from './real-fs.ts';
import type { World } from './world.ts';

/** Blobs in memory; reads files past the port, so that faults in the store itself stay out of the count. */
export function memoryBlobs(): BlobStore & { readonly all: Map<string, Uint8Array> } {
  const all = new Map<string, Uint8Array>();
  const put = (bytes: Uint8Array) => {
    const hash = createHash('sha256').update(bytes).digest('hex') as Hash;
    all.set(hash, Uint8Array.from(bytes));
    return hash;
  };
  return {
    all,
    put: async (bytes) => ok(put(bytes)),
    putFile: async (path) => {
      const bytes = readFileSync(path);
      return ok({ hash: put(bytes), size: bytes.length });
    },
    has: async (hash) => all.has(hash),
    get: async (hash) => (all.has(hash) ? ok(all.get(hash)!) : fail('blob.missing')),
    pathOf: async () => fail('blob.missing'),
    sizeOf: async (hash) => all.get(hash)?.length ?? null,
    sweep: async () => ({ swept: 0, bytes: 0, purged: 0 }),
  };
}

/** The real store, in a folder of the world: it outlives a killed process. */
export async function realBlobs(world: { readonly base: string }, fs: FsPort = realFs()): Promise<BlobStore> {
  const opened = await openBlobStore(fs, `${world.base}/store`);
  if (!opened.ok) throw new Error(opened.error.code);
  return opened.value;
}

/** The journal that a killed process left. */
export function readJournal(file: string): readonly Entry[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Entry) : [];
}

export interface Entry {
  readonly what: 'planned' | 'changed' | 'failed';
  readonly change: ChangeId;
  readonly data?: Change & ChangedExtra;
  readonly code?: string;
}

/** A journal in memory; with a file it also writes each entry down before it answers. */
export function memoryJournal(file?: string): ChangeJournal & { readonly entries: Entry[]; open(): readonly Change[]; planned_(): readonly Change[] } {
  const entries: Entry[] = [];
  const add = (entry: Entry) => {
    entries.push(entry);
    if (file !== undefined) writeFileSync(file, JSON.stringify(entry) + '\n', { flag: 'a' });
    return Promise.resolve(ok());
  };
  const plans = () => entries.filter((one) => one.what === 'planned').map((one) => one.data!);
  return {
    entries,
    planned: (change) => add({ what: 'planned', change: change.change, data: change }),
    changed: (done) => add({ what: 'changed', change: done.change, data: done }),
    failed: (change, code) => add({ what: 'failed', change, code }),
    planned_: plans,
    open: () => plans().filter((plan) => !entries.some((one) => one.what !== 'planned' && one.change === plan.change)),
  };
}

export const RUN = ('run_' + 'b'.repeat(26)) as RunId;

export function request(op: ChangeRequest['op'], path: string, more: Partial<ChangeRequest> = {}): ChangeRequest {
  return { run: RUN, call: 'call-1' as CallId, op, path, address: null, expected: null, ...more };
}

/** Changes on the real disk of a world, with everything around them in memory. */
export function makeChanges(world: World, more: Partial<ChangesDeps> = {}) {
  const fs = more.fs ?? realFs();
  const blobs = memoryBlobs();
  const journal = memoryJournal();
  const trash = createFreedesktopTrash({ fs, clock: { now: () => 1_760_000_000_000, after: () => () => undefined }, dataHome: `${world.base}/share`, uid: process.getuid?.() ?? 0 });
  const changes = createChanges({ fs, blobs, journal, trash, random: { bytes: (n) => randomBytes(n) }, flavour: 'posix', wait: () => Promise.resolve(), ...more });
  return { fs, blobs, journal, trash, changes };
}

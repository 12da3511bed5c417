import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, fdatasyncSync, openSync, closeSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hash } from '../../../domain/ids.ts';
import { openBlobStore } from '../../../main/blobs/blob-store.ts';
import type { BlobStore } from '../../../main/blobs/types.ts';
import { createChanges } from '../../../main/changes/changes.ts';
import { createNodeFs } from '../../../main/fs/node-fs.ts';
import { openEventLog } from '../../../main/log/open.ts';
import { journalFor } from '../../../main/partners/journal.ts';
import { realClock, realRandom } from '../../../main/ports/real.ts';
import { freshDir, measured, type Contender } from '../harness.ts';

const fs = createNodeFs();

async function store(): Promise<BlobStore> {
  const opened = await openBlobStore(fs, freshDir('blobs'));
  if (!opened.ok) throw new Error(opened.error.code);
  return opened.value;
}

/** What was kept is what was there, and the peer's copy too. */
async function same(blobs: BlobStore, hash: Hash, ...files: readonly string[]): Promise<void> {
  const got = await blobs.get(hash);
  if (!got.ok) throw new Error(got.error.code);
  for (const file of files) if (!readFileSync(file).equals(got.value)) throw new Error(`${file} is not what was kept`);
}

function copySynced(from: string, to: string): void {
  copyFileSync(from, to);
  const fd = openSync(to, 'r+');
  fdatasyncSync(fd);
  closeSync(fd);
}

/** (d) Keeping bytes and taking a change back. */
export async function bytes(quick: boolean): Promise<void> {
  const rounds = quick ? 3 : 9;
  const dir = freshDir('files');
  const each = quick ? 20 : 100;

  // 1 KB, beside a copy made durable and beside a shadow commit in a folder of 10,000 files.
  let n = 0;
  const small = Array.from({ length: each }, (_, i) => join(dir, `small-${i}.bin`));
  const fill = () => small.forEach((file) => writeFileSync(file, randomBytes(1024)));
  const product: Contender<{ blobs: BlobStore; last?: Hash }> = {
    prepare: async () => {
      fill();
      return { blobs: await store() };
    },
    async run(c) {
      for (const file of small) {
        const put = await c.blobs.putFile(file);
        if (!put.ok) throw new Error(put.error.code);
        c.last = put.value.hash;
      }
    },
    done: (c) => same(c.blobs, c.last!, small.at(-1)!),
  };
  const copy: Contender = {
    prepare: fill,
    run: () => {
      for (const file of small) copySynced(file, join(dir, `copy-${n++}`));
    },
  };
  const repo = join(dir, 'repo');
  mkdirSync(repo);
  const git = (...args: string[]) => execFileSync('git', ['-C', repo, '-c', 'user.name=b', '-c', 'user.email=b@b', '-c', 'gc.auto=0', ...args], { stdio: 'ignore' });
  for (let i = 0; i < (quick ? 1000 : 10_000); i++) {
    const folder = join(repo, String(i % 100));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${i}.txt`), `file ${i}\n`.repeat(20));
  }
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'start');
  const commits = 3;
  const shadow: Contender = {
    run: () => {
      for (let i = 0; i < commits; i++) {
        writeFileSync(join(repo, '0', '0.txt'), randomBytes(512).toString('hex'));
        git('add', '-A');
        git('commit', '-qm', 'x');
      }
    },
  };
  await measured([
    { id: 'blob.1k', text: '1 KB kept beside copyFile + fdatasync', product: 'product', peer: 'copy', max: 3 },
    { id: 'blob.1k.git', text: `1 KB kept beside a shadow commit in ${quick ? '1,000' : '10,000'} files`, product: 'product', peer: 'shadow', max: 1 / 40, scale: commits / each },
  ], { product, copy, shadow }, rounds);

  const big = join(dir, 'big.bin');
  const large: Contender<{ blobs: BlobStore; hash?: Hash }> = {
    prepare: async () => {
      writeFileSync(big, randomBytes(50 * 1024 * 1024));
      return { blobs: await store() };
    },
    async run(c) {
      const put = await c.blobs.putFile(big);
      if (!put.ok) throw new Error(put.error.code);
      c.hash = put.value.hash;
    },
    done: (c) => same(c.blobs, c.hash!, big),
  };
  const largeCopy: Contender<string> = { prepare: () => join(dir, `bigcopy-${n++ % 2}`), run: (to) => copyFileSync(big, to) };
  await measured([{ id: 'blob.50m', text: '50 MB kept beside copyFile', product: 'large', peer: 'copy', max: 1.8 }], { large, copy: largeCopy }, quick ? 3 : 7);

  // A revert, verified, recorded and durable.
  interface Reverting {
    readonly changes: ReturnType<typeof createChanges>;
    readonly close: () => Promise<void>;
    readonly before: Awaited<ReturnType<ReturnType<typeof createChanges>['inspect']>>;
    readonly after: Reverting['before'];
    readonly file: string;
  }
  const size = 1024 * 1024;
  const reverting: Contender<Reverting> = {
    prepare: async () => {
      const blobs = await store();
      const log = await openEventLog({ dir: freshDir('revert-log'), kind: 'partner', fs, clock: realClock, random: realRandom, machine: 'b' });
      if (!log.ok) throw new Error(log.error.code);
      const journal = journalFor((drafts) => log.value.append(drafts).durable, () => undefined);
      const trash = { put: async () => ({ ok: true as const, value: null }), restore: async () => ({ ok: true as const, value: undefined }) };
      const changes = createChanges({ fs, blobs, journal, trash, random: realRandom, flavour: 'posix' });
      const file = join(freshDir('revert'), 'a.bin');
      writeFileSync(file, randomBytes(size));
      const before = await changes.inspect(file);
      const kept = await blobs.putFile(file);
      if (!before.ok || !before.value || !kept.ok) throw new Error('not kept');
      const now = randomBytes(size);
      const written = await changes.apply({ run: null, call: null, op: 'write', path: file, address: null, content: now, expected: before.value });
      if (!written.ok) throw new Error(written.error.code);
      return { changes, close: () => log.value.close(), before, after: await changes.inspect(file), file };
    },
    async run(c) {
      if (!c.before.ok || !c.before.value || !c.after.ok) throw new Error('state');
      const done = await c.changes.apply({ run: null, call: null, op: 'revert', path: c.file, address: null, restore: { ...c.before.value, blob: true }, expected: c.after.value });
      if (!done.ok) throw new Error(done.error.code);
    },
    done: async (c) => {
      const now = await c.changes.inspect(c.file);
      if (!now.ok || !c.before.ok || now.value?.hash !== c.before.value?.hash) throw new Error('not reverted');
      await c.close();
    },
  };
  const backup = join(dir, 'backup.bin');
  writeFileSync(backup, randomBytes(size));
  const copyBack: Contender = { run: () => copySynced(backup, join(dir, 'back.bin')) };
  await measured([{ id: 'revert', text: 'revert of 1 MB, checked and recorded, beside copyFile + fdatasync', product: 'reverting', peer: 'copy', max: 2 }], { reverting, copy: copyBack }, quick ? 5 : 15);
}

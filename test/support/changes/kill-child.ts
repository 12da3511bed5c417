import { createChanges } from '#main/changes/changes.ts';
import type { ChangeRequest } from '#main/changes/types.ts';
import { createFreedesktopTrash } from '#main/trash/freedesktop.ts';
import { interrupted } from './faults.ts';
import { realFs } from './real-fs.ts';
import { memoryJournal, realBlobs } from './stores.ts';

/** Runs one change in a process of its own and dies by SIGKILL before call `n` of the port. */
const job = JSON.parse(process.argv[2]!) as { base: string; n: number; request: ChangeRequest; content: string | null };
const fs = interrupted(realFs(), {
  before: (call) => {
    if (call === job.n) process.kill(process.pid, 'SIGKILL');
  },
});
let seed = job.n;
const random = { bytes: (count: number) => Uint8Array.from({ length: count }, () => (seed = (seed * 1103515245 + 12345) >>> 0) >>> 24) };
const changes = createChanges({
  fs, random, flavour: 'posix',
  blobs: await realBlobs(job, fs),
  journal: memoryJournal(`${job.base}/journal.jsonl`),
  trash: createFreedesktopTrash({ fs, clock: { now: () => 0, after: () => () => undefined }, dataHome: `${job.base}/share`, uid: process.getuid?.() ?? 0 }),
});
const done = await changes.apply({ ...job.request, ...(job.content === null ? {} : { content: new TextEncoder().encode(job.content) }) });
process.stdout.write(JSON.stringify({ ok: done.ok, code: done.ok ? null : done.error.code, calls: fs.calls.length }));

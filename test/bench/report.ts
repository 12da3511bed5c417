import { writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Row } from './harness.ts';

const FILE = join(import.meta.dirname, '../../docs/PERFORMANCE.md');
const GROUPS: Readonly<Record<string, string>> = {
  append: 'Writing', rebuild: 'Reading everything', open: 'Opening', 'as-of': 'A past moment', verify: 'Verifying', blob: 'Keeping bytes', revert: 'Taking back',
};

/** Puts `docs/PERFORMANCE.md` together from the rows of the run that just ended: what was measured and nothing else. */
export function writeReport(rows: readonly Row[], date: Date): void {
  const count = (verdict: Row['verdict']) => rows.filter((r) => r.verdict === verdict).length;
  const table = rows.map((r) => `| ${GROUPS[r.id.split('.')[0]!] ?? ''} | \`${r.id}\` | ${r.text} | ${size(r.productMs, r)} | ${size(r.peerMs, r)} | ${ratio(r.ratio, r)} (${ratio(r.low, r)}–${ratio(r.high, r)}) | ≤ ${ratio(r.max, r)} | ${r.rounds} | ${r.note ? `${r.verdict} (${r.note})` : r.verdict} |`);
  writeFileSync(FILE, `# Performance

Written by \`npm run bench -- --full\` from what it measured; nothing here is edited by hand.

- ${date.toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'processor'}, ${Math.round(totalmem() / 2 ** 30)} GB of memory, load at the end ${loadavg()[0]!.toFixed(1)}.
- ${count('met')} goals met, ${count('missed')} missed, ${count('noisy')} noisy.

| | id | what | product | peer | ratio (low–high) | goal | rounds | verdict |
|---|---|---|---|---|---|---|---|---|
${table.join('\n')}

## How to read it

- **Ratio** is the median of round-by-round ratios of product to peer: both take turns in one process on one disk, so that whatever slows the machine down hits both. Product and peer are the medians of their own times, so their quotient need not be the ratio. Below 1 the product is the faster one.
- **Noisy** means that the slowest round of the peer took more than three times its fastest: the machine was busy with something else, and the ratio, though printed, decides nothing. Such a measurement is tried once more together with those taken in the same rounds, and the second try stands, good or bad.
- Times depend on the machine and are never asserted. Other work on the machine moves single ratios by a multiple: the range says by how much it did. It hits the product harder than the peers of writing, which wait for the disk in place, while the product leaves most of its calls to a thread pool and has to be scheduled again after each.
- Both sides do the same work: the peers of an append write the very lines that the product seals (ready made, while the product's time includes the schema, the salt, both hashes and the answer to whoever waits), both sides flush, the stored bytes are counted, the last thing kept and every file taken back is compared with the original after each round. JSON.parse and sha256 have their bytes in memory; the product reads its own from the disk's cache. Two rounds of warm-up do not count.
- The store of every \`blob\` round starts empty, so most of its folders are made and flushed within the measured time.
- \`rebuild.memory\`: a process of its own; most it ever held, less what it held after it had loaded everything and read the first piece. Five runs.
- \`revert\` is held against a copy with one flush. The product reads and checks the blob, checks the file twice, writes two durable facts, flushes the new file and its folder, and looks again whether somebody saved in between.
- Histories are made by the product itself from a fixed seed: runs of tools with about 0.9 KB a line, a third of the words Chinese. They are kept in \`.bench/\`.

## Not measured

Windows and macOS disks, cold caches, network folders, the desktop window, the renderer.
`);
}

function ratio(n: number, row: Row): string {
  return row.unit ? `${n.toFixed(0)} ${row.unit}` : `${n < 0.1 ? n.toFixed(4) : n.toFixed(2)}×`;
}

function size(n: number, row: Row): string {
  return row.unit ? `${n.toFixed(0)} ${row.unit}` : `${n < 10 ? n.toFixed(2) : n.toFixed(0)} ms`;
}

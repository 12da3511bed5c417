import { cpus, loadavg } from 'node:os';
import { append } from './cases/append.ts';
import { bytes } from './cases/bytes.ts';
import { memory } from './cases/memory.ts';
import { read } from './cases/read.ts';
import { measuredRows } from './harness.ts';
import { writeReport } from './report.ts';

/**
 * Product and peers take turns in one process; a goal is a median of paired ratios. Asserts no times.
 * `--quick` for a smoke run, `--full` to write docs/PERFORMANCE.md; names of cases to run only those.
 */
const quick = process.argv.includes('--quick');
const full = process.argv.includes('--full');
const only = process.argv.slice(2).filter((a) => !a.startsWith('--'));
if (full && (quick || only.length > 0)) throw new Error('--full runs everything');
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'cpu'}, load ${loadavg()[0]?.toFixed(2)}${quick ? ', quick' : ''}`);
for (const [name, run] of Object.entries({ append, read, memory, bytes })) if (only.length === 0 || only.includes(name)) await run(quick);
if (full) writeReport(measuredRows, new Date());

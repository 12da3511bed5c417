import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Benchmarks must not run on a memory disk: `.bench/` lies in the project. */
export const WORK = join(import.meta.dirname, '../../.bench');

/** Of this process alone: two runs at the same time must not take each other's files away. */
const TMP = join(WORK, 'tmp', String(process.pid));
process.on('exit', () => rmSync(TMP, { recursive: true, force: true }));

export function freshDir(name: string): string {
  const dir = join(TMP, name);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  return dir;
}

/** One thing that takes turns with the others. `prepare` and `done` are not timed; `run` is. */
export interface Contender<T = unknown> {
  readonly prepare?: () => T | Promise<T>;
  readonly run: (context: T) => unknown;
  readonly done?: (context: T) => unknown;
}

export interface Timing {
  readonly name: string;
  readonly seconds: readonly number[];
  readonly median: number;
}

export interface Goal {
  readonly id: string;
  readonly text: string;
  /** The product’s contender and the one it is held against. */
  readonly product: string;
  readonly peer: string;
  readonly max: number;
}

export interface Row extends Goal {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly productMs: number;
  readonly peerMs: number;
  /** `noisy`: the peer’s own times differ by more than 3×, so the ratio says nothing. */
  readonly verdict: 'met' | 'missed' | 'noisy' | 'skipped';
  /** `MB`: `ratio` is memory over rest, `productMs` and `peerMs` are megabytes. */
  readonly unit?: 'MB';
  readonly rounds: number;
  readonly note?: string;
}

export const median = (list: readonly number[]): number => {
  const sorted = [...list].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/** Contenders take turns (A B C, A B C …) after warm-up rounds that do not count, so that drift of the machine and cold code hit all alike. */
export async function takeTurns(contenders: Readonly<Record<string, object>>, rounds: number, warmUps = 2): Promise<ReadonlyMap<string, Timing>> {
  const times = new Map<string, number[]>(Object.keys(contenders).map((name) => [name, []]));
  for (let round = -warmUps; round < rounds; round++) {
    for (const [name, contender] of Object.entries(contenders) as [string, Contender][]) {
      const context = await contender.prepare?.();
      (globalThis as { gc?: () => void }).gc?.();
      const started = process.hrtime.bigint();
      await contender.run(context);
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      await contender.done?.(context);
      if (round >= 0) times.get(name)!.push(seconds);
    }
  }
  return new Map([...times].map(([name, seconds]) => [name, { name, seconds, median: median(seconds) }]));
}

/** Judges a goal by the median of the round-by-round ratios. */
export function judge(goal: Goal, timings: ReadonlyMap<string, Timing>, scale = 1): Row {
  const product = timings.get(goal.product)!;
  const peer = timings.get(goal.peer)!;
  const ratios = product.seconds.map((s, i) => (s / peer.seconds[i]!) * scale);
  const ratio = median(ratios);
  const noisy = Math.max(...peer.seconds) / Math.min(...peer.seconds) > 3;
  return {
    ...goal, ratio, rounds: ratios.length, low: Math.min(...ratios), high: Math.max(...ratios), productMs: product.median * 1000, peerMs: peer.median * 1000,
    verdict: noisy ? 'noisy' : ratio <= goal.max ? 'met' : 'missed',
  };
}

/** Measures once, and once more when a peer was noisy; the second try counts then, whatever it says. */
export async function measured(goals: readonly (Goal & { readonly scale?: number })[], contenders: Readonly<Record<string, object>>, rounds: number): Promise<void> {
  const rows = async () => {
    const timings = await takeTurns(contenders, rounds);
    return goals.map(({ scale, ...goal }) => judge(goal, timings, scale));
  };
  let list = await rows();
  if (list.some((row) => row.verdict === 'noisy')) list = (await rows()).map((row) => ({ ...row, note: 'second try, the first was noisy' }));
  list.forEach(report);
}

export function judgeMemory(goal: Goal, runs: readonly { readonly idle: number; readonly over: number }[]): Row {
  const over = runs.map((r) => r.over);
  const idle = median(runs.map((r) => r.idle));
  const ratio = median(over);
  return { ...goal, ratio, rounds: runs.length, low: Math.min(...over), high: Math.max(...over), productMs: idle + ratio, peerMs: idle, unit: 'MB', verdict: ratio <= goal.max ? 'met' : 'missed' };
}

/** What this run measured, in order. */
export const measuredRows: Row[] = [];

export function report(row: Row): Row {
  measuredRows.push(row);
  const line = `${row.id.padEnd(22)} ${row.verdict.padEnd(7)} ${row.ratio.toFixed(3).padStart(8)} ${row.unit ?? '×'} (${row.low.toFixed(3)}–${row.high.toFixed(3)}) goal ≤ ${row.max} ${row.unit ?? '×'}  ${row.text}  [${row.productMs.toFixed(2)} / ${row.peerMs.toFixed(2)} ${row.unit ?? 'ms'}]${row.note ? ' ' + row.note : ''}`;
  console.log(line);
  mkdirSync(join(WORK, 'out'), { recursive: true });
  writeFileSync(join(WORK, 'out', `rows-${process.pid}.jsonl`), measuredRows.map((r) => JSON.stringify(r) + '\n').join(''));
  return row;
}

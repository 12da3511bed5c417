import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Benchmarks must not run on a memory disk: `.bench/` lies in the project. */
export const WORK = join(import.meta.dirname, '../../.bench');

export function freshDir(name: string): string {
  const dir = join(WORK, 'tmp', name);
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
  readonly note?: string;
}

export const median = (list: readonly number[]): number => {
  const sorted = [...list].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/** Contenders take turns (A B C, A B C …) after one warm-up, so that drift of the machine hits all alike. */
export async function takeTurns(contenders: Readonly<Record<string, object>>, rounds: number): Promise<ReadonlyMap<string, Timing>> {
  const times = new Map<string, number[]>(Object.keys(contenders).map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
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
    ...goal, ratio, low: Math.min(...ratios), high: Math.max(...ratios), productMs: product.median * 1000, peerMs: peer.median * 1000,
    verdict: noisy ? 'noisy' : ratio <= goal.max ? 'met' : 'missed',
  };
}

export function report(row: Row): Row {
  const line = `${row.id.padEnd(22)} ${row.verdict.padEnd(7)} ${row.ratio.toFixed(2).padStart(8)}× (${row.low.toFixed(2)}–${row.high.toFixed(2)}) goal ≤ ${row.max}×  ${row.text}  [${row.productMs.toFixed(2)} ms / ${row.peerMs.toFixed(2)} ms]${row.note ? ' ' + row.note : ''}`;
  console.log(line);
  mkdirSync(join(WORK, 'out'), { recursive: true });
  appendFileSync(join(WORK, 'out', 'rows.jsonl'), JSON.stringify(row) + '\n');
  return row;
}

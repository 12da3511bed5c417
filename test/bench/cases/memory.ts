import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { history } from '../data.ts';
import { judgeMemory, report } from '../harness.ts';

/** Memory of a full replay, each time in a process of its own. */
export async function memory(quick: boolean): Promise<void> {
  const count = quick ? 10_000 : 1_000_000;
  const dir = await history(count);
  const runs = Array.from({ length: quick ? 1 : 5 }, () => {
    const said = execFileSync(process.execPath, ['--import', 'tsx', join(import.meta.dirname, '../memory-child.ts'), dir], { encoding: 'utf8' });
    return JSON.parse(said) as { idle: number; over: number };
  });
  report(judgeMemory({ id: 'rebuild.memory', text: `peak memory of a full replay of ${count.toLocaleString('en')} events over the same process at rest`, product: 'peak', peer: 'at rest', max: 64 }, runs));
}

import { appendIds, message, named, openLog } from './log-world.ts';
import { memoryFs, type MemoryFs } from './memory-fs.ts';
import { DIR } from './workloads.ts';

/** A closed log of so many events in one segment, and where its lines start. */
export interface SomeLog {
  readonly fs: MemoryFs;
  readonly path: string;
  readonly bytes: Buffer;
  readonly ids: readonly string[];
  readonly starts: readonly number[];
  readonly origin: string;
  readonly h: string;
}

export async function someLog(count: number): Promise<SomeLog> {
  const fs = memoryFs();
  const log = await openLog(fs, DIR);
  const ids = (await appendIds(log, Array.from({ length: count }, (_, i) => (i % 5 ? message(`message ${i} 消息`) : named(`name ${i}`))))) as string[];
  const h = log.head().hashes[log.origin]!;
  await log.close();
  const path = `${DIR}/log/${log.origin}/00000001.jsonl`;
  const bytes = Buffer.from(await fs.readFile(path));
  const starts = [0];
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) starts.push(at + 1);
  return { fs, path, bytes, ids, starts, origin: log.origin, h };
}

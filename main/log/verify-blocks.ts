import { hash as hashOnce } from 'node:crypto';
import type { FsPort } from '#main/ports/fs.ts';
import { readAt } from './segments.ts';
import { BLOCK_LINES, readSidecar, sidecarPath, type Block } from './sidecar.ts';

/** Blocks are read together up to about this many bytes. */
const WINDOW = 1024 * 1024;

/**
 * Compares one segment's bytes with its sidecar. Returns how far they agree from the start: the rest is
 * walked line by line, which tells rot from a sidecar that is only old.
 */
export async function checkBlocks(
  fs: FsPort, path: string, cacheDir: string, number: number, size: number, progress: (bytes: number) => Promise<void>,
): Promise<{ readonly end: number; readonly lines: number }> {
  const blocks = (await readSidecar(fs, sidecarPath(cacheDir, number))).filter((b) => b.end <= size);
  let end = 0;
  let done = 0;
  const file = await fs.open(path, 'r');
  try {
    while (done < blocks.length) {
      const window: Block[] = [blocks[done]!];
      while (blocks[done + window.length] && blocks[done + window.length]!.end - end <= WINDOW) window.push(blocks[done + window.length]!);
      const start = end;
      const bytes = await readAt(file, start, window.at(-1)!.end - start);
      for (const block of window) {
        if (!(hashOnce('sha256', bytes.subarray(end - start, block.end - start), 'buffer') as Buffer).equals(block.sha)) return { end, lines: done * BLOCK_LINES };
        end = block.end;
        done++;
      }
      await progress(bytes.length);
    }
  } finally {
    await file.close();
  }
  return { end, lines: done * BLOCK_LINES };
}

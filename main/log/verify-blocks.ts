import { hash as hashOnce } from 'node:crypto';
import type { FsPort } from '#main/ports/fs.ts';
import { readAt, TwoBuffers } from './segments.ts';
import { BLOCK_LINES, readSidecar, sidecarPath, type Block } from './sidecar.ts';

/** Blocks are read together up to about this many bytes. */
const WINDOW = 256 * 1024;

/**
 * Compares one segment's bytes with its sidecar. Returns how far they agree from the start: the rest is
 * walked line by line, which tells rot from a sidecar that is only old.
 */
export async function checkBlocks(
  fs: FsPort, path: string, cacheDir: string, number: number, size: number, progress: (bytes: number) => Promise<void>,
): Promise<{ readonly end: number; readonly lines: number }> {
  const blocks = (await readSidecar(fs, sidecarPath(cacheDir, number))).filter((b) => b.end <= size);
  const file = await fs.open(path, 'r');
  // The next window is read while this one is hashed.
  const memory = new TwoBuffers();
  const read = (w: Window) => {
    const length = w.blocks.at(-1)!.end - w.start;
    return readAt(file, w.start, length, memory.take(length));
  };
  let next: Promise<Buffer> | null = null;
  let end = 0;
  let done = 0;
  try {
    const windows = windowsOf(blocks);
    for (const [i, window] of windows.entries()) {
      const bytes: Buffer = await (next ?? read(window));
      const following = windows[i + 1];
      next = following ? read(following) : null;
      next?.catch(() => undefined);
      for (const block of window.blocks) {
        if (!(hashOnce('sha256', bytes.subarray(end - window.start, block.end - window.start), 'buffer') as Buffer).equals(block.sha)) return { end, lines: done * BLOCK_LINES };
        end = block.end;
        done++;
      }
      await progress(bytes.length);
    }
  } finally {
    await next?.catch(() => undefined);
    await file.close();
  }
  return { end, lines: done * BLOCK_LINES };
}

interface Window {
  readonly start: number;
  readonly blocks: Block[];
}

function windowsOf(blocks: readonly Block[]): Window[] {
  const windows: Window[] = [];
  let end = 0;
  for (const block of blocks) {
    const open = windows.at(-1);
    if (open && block.end - open.start <= WINDOW) open.blocks.push(block);
    else windows.push({ start: end, blocks: [block] });
    end = block.end;
  }
  return windows;
}

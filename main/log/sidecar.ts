import { createHash, type Hash as Hasher } from 'node:crypto';
import { join } from 'node:path';
import type { FsPort } from '#main/ports/fs.ts';

/** Lines per block: one sha256 and one offset each (design §3). */
export const BLOCK_LINES = 64;
const RECORD = 40;

/** Whole blocks of one segment: where each ends, and the sha256 of its bytes. */
export interface Block {
  /** Byte offset right after the block's last newline. */
  readonly end: number;
  readonly sha: Buffer;
}

export function sidecarPath(cacheDir: string, segment: number): string {
  return join(cacheDir, `${String(segment).padStart(8, '0')}.idx`);
}

/**
 * Reads a segment's sidecar: fixed records of 8 bytes offset and 32 bytes sha256. Disposable: anything
 * odd (missing, ragged, not rising) counts as “no blocks known”.
 */
export async function readSidecar(fs: FsPort, path: string): Promise<Block[]> {
  let bytes: Buffer;
  try {
    bytes = Buffer.from(await fs.readFile(path));
  } catch {
    return [];
  }
  const blocks: Block[] = [];
  for (let at = 0; at + RECORD <= bytes.length; at += RECORD) {
    const end = Number(bytes.readBigUInt64LE(at));
    if (end <= (blocks.at(-1)?.end ?? 0)) return [];
    blocks.push({ end, sha: bytes.subarray(at + 8, at + RECORD) });
  }
  return blocks;
}

export async function writeSidecar(fs: FsPort, path: string, blocks: readonly Block[]): Promise<void> {
  const bytes = Buffer.alloc(blocks.length * RECORD);
  blocks.forEach((b, i) => {
    bytes.writeBigUInt64LE(BigInt(b.end), i * RECORD);
    b.sha.copy(bytes, i * RECORD + 8);
  });
  const file = await fs.open(path, 'w', 0o600);
  try {
    await file.write(bytes, 0);
  } finally {
    await file.close();
  }
}

/** Builds blocks as lines are acknowledged. */
export class BlockBuilder {
  readonly blocks: Block[];
  #lines: number;
  #end: number;
  #hasher: Hasher = createHash('sha256');

  constructor(blocks: readonly Block[]) {
    this.blocks = [...blocks];
    this.#lines = 0;
    this.#end = blocks.at(-1)?.end ?? 0;
  }

  /** Takes the next line's bytes (with newline). */
  take(line: Uint8Array): void {
    this.takeAll(line, [line]);
  }

  /** Takes the next lines, given together and one by one: hashed in as few calls as their blocks allow. */
  takeAll(bytes: Uint8Array, lines: readonly Uint8Array[]): void {
    let from = 0;
    let to = 0;
    for (const line of lines) {
      to += line.length;
      if (++this.#lines < BLOCK_LINES) continue;
      this.#hasher.update(bytes.subarray(from, to));
      this.#end += to - from;
      this.blocks.push({ end: this.#end, sha: this.#hasher.digest() });
      this.#hasher = createHash('sha256');
      this.#lines = 0;
      from = to;
    }
    if (from === to) return;
    this.#hasher.update(bytes.subarray(from, to));
    this.#end += to - from;
  }
}

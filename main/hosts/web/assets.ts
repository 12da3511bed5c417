import { extname, join } from 'node:path';
import type { FsPort } from '#main/ports/fs.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml', '.png': 'image/png',
  '.woff2': 'font/woff2', '.wasm': 'application/wasm', '.json': 'application/json; charset=utf-8', '.ico': 'image/x-icon',
};

/** One file of the built renderer. */
export interface Asset {
  readonly bytes: Uint8Array;
  readonly type: string;
}

/** Lists the build once: what is not in this map does not exist. No path of a request ever reaches the disk. */
export async function loadAssets(fs: FsPort, dir: string): Promise<ReadonlyMap<string, Asset>> {
  const assets = new Map<string, Asset>();
  async function walk(folder: string, prefix: string): Promise<void> {
    for (const e of await fs.readdir(folder)) {
      if (e.name.startsWith('.')) continue;
      const path = join(folder, e.name);
      if (e.kind === 'folder') await walk(path, `${prefix}${e.name}/`);
      else if (e.kind === 'file') {
        const type = TYPES[extname(e.name)];
        if (type) assets.set(prefix + e.name, { bytes: await fs.readFile(path), type });
      }
    }
  }
  await walk(dir, '/');
  return assets;
}

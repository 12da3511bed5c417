import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/**
 * A clone of the product that may be started, installed and spoiled without touching the real one: scripts and build
 * are copies, sources and packages are links, and Electron's folder is its own and holds no program.
 */
export class Clone {
  readonly dir = mkdtempSync(join(tmpdir(), 'curator-clone-'));
  readonly start = join(this.dir, 'scripts/start.mjs');
  readonly remembered = join(this.dir, 'node_modules/.curator-electron');
  readonly #lockMark = join(this.dir, 'node_modules/.curator-lock');
  readonly #electron = join(this.dir, 'node_modules/electron');
  readonly #bin = join(this.dir, 'bin');

  constructor() {
    for (const name of ['scripts', 'dist', 'package.json', 'package-lock.json']) cpSync(join(root, name), join(this.dir, name), { recursive: true });
    for (const name of ['app', 'domain', 'main', 'projections', 'workers', 'fixtures']) symlinkSync(join(root, name), join(this.dir, name));
    for (const dir of [this.#electron, this.#bin]) mkdirSync(dir, { recursive: true });
    for (const name of readdirSync(join(root, 'node_modules'))) if (!name.startsWith('.') && name !== 'electron') symlinkSync(join(root, 'node_modules', name), join(this.dir, 'node_modules', name));
    for (const name of ['package.json', 'checksums.json', 'install.js']) if (existsSync(join(root, 'node_modules/electron', name))) cpSync(join(root, 'node_modules/electron', name), join(this.#electron, name));
    this.installed(true);
  }

  /** Whether packages are as the lock file says. */
  installed(are: boolean): void {
    if (are) writeFileSync(this.#lockMark, createHash('sha256').update(readFileSync(join(this.dir, 'package-lock.json'))).digest('hex'));
    else rmSync(this.#lockMark, { force: true });
  }

  /** Puts a shell script where Electron's program would be. */
  desktop(script: string): void {
    mkdirSync(join(this.#electron, 'dist'), { recursive: true });
    this.#script(join(this.#electron, 'dist/electron'), script);
    writeFileSync(join(this.#electron, 'path.txt'), 'electron');
  }

  /** An environment in which `npm` is this shell script, and Electron is fetched from `mirror` (nowhere by default). */
  env(npm = 'exit 1', mirror = 'http://127.0.0.1:9/'): Readonly<Record<string, string>> {
    this.#script(join(this.#bin, 'npm'), npm);
    return { PATH: this.#bin + delimiter + process.env['PATH'], ELECTRON_MIRROR: mirror, electron_config_cache: join(this.dir, 'cache'), ELECTRON_SKIP_BINARY_DOWNLOAD: '' };
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  #script(path: string, text: string): void {
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
  }
}

// `npm run bench`: installs the peers (once), then product and peers take turns. --quick for a smoke run.
// Exit code 3: the peers cannot be installed here, nothing was measured.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { install, root, run } from './steps.mjs';

const args = process.argv.slice(2);
if (install() !== 0) process.exit(1);
const peers = join(root, 'test/bench');
if (!existsSync(join(peers, 'node_modules/better-sqlite3/build')) && run('Installing the peers (once)', 'npm', ['install', '--prefix', peers, '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']) !== 0) {
  console.error('The peers cannot be installed here (they need a package source, and a compiler where no built copy fits): nothing was measured.');
  process.exit(3);
}
process.exit(run('Benchmarks', process.execPath, ['--expose-gc', '--max-old-space-size=4096', '--import', 'tsx', join(root, 'test/bench/run.ts'), ...args]));

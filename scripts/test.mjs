// `npm test`: installs what is missing, checks types, style and imports, builds, runs every test, and
// compares titles with the requirements. `--nightly` runs the long loops. Other words filter test files.
import { install, chromium, run, tool, root } from './steps.mjs';
import { join } from 'node:path';

const words = process.argv.slice(2);
const nightly = words.includes('--nightly');
const filters = words.filter((w) => !w.startsWith('--'));

function must(status) {
  if (status !== 0) process.exit(status);
}

must(install());
const browser = chromium();
if (!browser) {
  console.error('The browser tests need Chromium: install it (Debian: apt-get install chromium) or set CHROMIUM to its path.');
  process.exit(1);
}
if (filters.length === 0) must(run('Checks', process.execPath, [join(root, 'scripts/check.mjs')]));
must(run('Build', process.execPath, [join(root, 'scripts/build.mjs')]));
const status = tool('Tests', 'vitest/vitest.mjs', ['run', '--config', 'test/vitest.config.ts', ...filters], { CHROMIUM: browser, ...(filters.length === 0 ? { WHOLE: '1' } : {}), ...(nightly ? { NIGHTLY: '1' } : {}) });
const spec = filters.length === 0 ? run('Requirements', process.execPath, [join(root, 'scripts/spec.mjs'), '--summary']) : 0;
process.exit(status || spec);

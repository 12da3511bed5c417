#!/usr/bin/env node
// The command line from a clone: builds when the sources changed, then runs.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
if (!existsSync(join(root, 'node_modules/zod'))) {
  console.error('Curator is not installed yet: run `npm ci` (or `npm start`) in ' + root);
  process.exit(1);
}
const { buildAll } = await import('./build.mjs');
await buildAll({ log: (line) => process.env.CURATOR_VERBOSE && console.error(line) });
await import(join(root, 'dist/main/cli/main.mjs'));

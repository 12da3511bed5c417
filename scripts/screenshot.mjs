// Puts the picture that the main journey took of a reviewed change into docs/screenshot.png, for the README.
// Usage: npm test -- test/journeys/main-job.test.ts && node scripts/screenshot.mjs
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './steps.mjs';

const taken = join(root, 'test/out/journey/readme-en.png');
if (!existsSync(taken)) {
  console.error('There is no picture yet: run `npm test -- test/journeys/main-job.test.ts` first.');
  process.exit(1);
}
copyFileSync(taken, join(root, 'docs/screenshot.png'));
console.log('docs/screenshot.png is the picture of the last journey.');

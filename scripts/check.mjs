// `npm run check`: types per folder, Svelte, who may import whom, lint.
import { tool } from './steps.mjs';

const steps = [
  ...['domain', 'projections', 'main/api', 'workers', 'main', 'test'].map((dir) => [`Types: ${dir}`, 'typescript/bin/tsc', ['-p', dir]]),
  ['Types: app', 'svelte-check/bin/svelte-check', ['--tsconfig', 'app/tsconfig.json', '--fail-on-warnings', '--output', 'human']],
  ['Imports', 'dependency-cruiser/bin/dependency-cruise.mjs', ['--config', 'scripts/dependency-rules.cjs', 'app', 'domain', 'main', 'projections', 'workers']],
  ['Lint', 'eslint/bin/eslint.js', ['.', '--max-warnings', '0', '--cache', '--cache-location', 'node_modules/.cache/eslint']],
];
let failed = 0;
for (const [title, file, args] of steps) if (tool(title, file, args) !== 0) failed++;
process.exit(failed === 0 ? 0 : 1);

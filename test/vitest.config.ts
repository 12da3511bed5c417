import { svelte } from '@sveltejs/vite-plugin-svelte';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** All tests. Faults and journeys run for seconds to minutes; nothing waits by time, so limits only catch hangs. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: [svelte({ compilerOptions: { css: 'external' } })],
  resolve: { conditions: ['browser', 'node'] },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/bench/**'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: process.env['NIGHTLY'] ? 3_600_000 : 600_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    // Only a run of everything says what is covered; a filtered one must not overwrite that.
    reporters: ['default', ['json', { outputFile: `test/out/${process.env['WHOLE'] ? 'results' : 'filtered'}.json` }]],
  },
});

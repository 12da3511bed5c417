import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * The renderer's build. One entry script at a stable address (`/assets/app.js`), nothing inline, nothing
 * from the network: the page works under `script-src 'self'; style-src 'self'`.
 */
export default defineConfig({
  root: here('.'),
  base: '/',
  plugins: [svelte({ compilerOptions: { css: 'external' } })],
  build: {
    outDir: here('../dist/app'),
    emptyOutDir: true,
    target: 'chrome120',
    // Inlined assets would be `data:` addresses, which the page's policy allows for pictures only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: { entryFileNames: 'assets/app.js', chunkFileNames: 'assets/[name]-[hash].js', assetFileNames: 'assets/[name]-[hash][extname]' },
    },
  },
});

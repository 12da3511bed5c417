import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';

const banned = (name, instead) => ({ object: name.split('.')[0], property: name.split('.')[1], message: instead });

export default ts.config(
  { ignores: ['dist/', '.bench/', 'node_modules/', 'test/out/', 'test/bench/node_modules/', '.curator-dev/'] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  { languageOptions: { globals: { ...globals.es2023 } }, linterOptions: { reportUnusedDisableDirectives: 'error' } },
  { files: ['scripts/**', '*.mjs', 'main/**', 'test/**', 'workers/**'], languageOptions: { globals: { ...globals.node } } },
  { files: ['app/**', 'test/**'], languageOptions: { globals: { ...globals.browser } } },
  { files: ['**/*.svelte', '**/*.svelte.ts'], languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'] } } },
  {
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
      // Control characters are what much of our text code looks for.
      'no-control-regex': 'off',
      'svelte/prefer-svelte-reactivity': 'off',
      'svelte/no-unused-svelte-ignore': 'off',
    },
  },
  // Replay must give the same answer for ever: no clock, no chance in what folds.
  {
    files: ['domain/**', 'projections/**'],
    rules: {
      'no-restricted-properties': ['error', banned('Date.now', 'Pass the time in as an argument.'), banned('Math.random', 'Pass random bytes in as an argument.')],
      'no-restricted-syntax': ['error', { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Pass the time in as an argument.' }],
    },
  },
  { files: ['**/*.config.*', 'app/vite.config.ts', 'scripts/**'], rules: { 'no-restricted-exports': 'off', 'no-console': 'off', '@typescript-eslint/no-require-imports': 'off', 'no-undef': 'off' } },
  // Comlink's adapter has no types of its own: they are declared beside the one file that uses it.
  { files: ['workers/comlink-node.d.ts', 'workers/node-endpoint.ts'], rules: { 'no-restricted-exports': 'off', '@typescript-eslint/triple-slash-reference': 'off' } },
  { files: ['domain/policy/path-text.ts'], rules: { 'no-misleading-character-class': 'off' } },
  { files: ['test/**'], rules: { 'no-console': 'off' } },
);

// `npm run spec`: which requirement ids have a passing test in the last test run. A test covers an id by
// carrying it in its title: `[WB-APPLY-004-AC2] …`. --json prints the lists; --summary counts.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './steps.mjs';

const rows = (file) => readFileSync(join(root, file), 'utf8').trim().split('\n').slice(1).map((line) => line.split('\t'));
const ids = rows('fixtures/spec/requirements.tsv').map(([id]) => id);
const notes = new Map(rows('docs/spec-notes.tsv').map(([id, kind, reason]) => [id, { kind, reason }]));
const results = join(root, 'test/out/results.json');
if (!existsSync(results)) {
  console.error('No test results yet: run `npm test` first.');
  process.exit(1);
}
const passed = new Map();
for (const file of JSON.parse(readFileSync(results, 'utf8')).testResults) {
  for (const test of file.assertionResults) {
    const named = [...test.fullName.matchAll(/\[([A-Z]{2,}(?:-[A-Z0-9]+)+)\]/g)].map((m) => m[1]);
    for (const id of named) passed.set(id, (passed.get(id) ?? true) && test.status === 'passed');
  }
}
const known = new Set(ids);
const out = { covered: [], uncovered: [], needsPlatform: [], later: [], notApplicable: [] };
for (const id of ids) {
  if (passed.get(id)) out.covered.push(id);
  else if (passed.has(id)) out.uncovered.push(id);
  else if (notes.has(id)) out[notes.get(id).kind].push({ id, reason: notes.get(id).reason });
  else out.uncovered.push(id);
}
const strange = [...passed.keys()].filter((id) => /^(WB|WA|FR|ST)-/.test(id) && !known.has(id));
if (process.argv.includes('--json')) console.log(JSON.stringify(out));
else {
  const counts = Object.entries(out).map(([kind, list]) => `${kind} ${list.length}`).join(', ');
  console.log(`${ids.length} requirements: ${counts}.`);
  if (!process.argv.includes('--summary')) {
    console.log('\nCovered by a passing test:\n  ' + out.covered.join('\n  '));
    if (out.uncovered.length) console.log('\nNot covered:\n  ' + out.uncovered.join('\n  '));
    for (const kind of ['needsPlatform', 'later', 'notApplicable']) {
      console.log(`\n${kind}:`);
      for (const { id, reason } of out[kind]) console.log(`  ${id}  ${reason}`);
    }
  }
}
if (strange.length) {
  console.error('Titles name ids that no requirement has: ' + strange.join(', '));
  process.exitCode = 1;
}

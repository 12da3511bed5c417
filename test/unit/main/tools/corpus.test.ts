import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pathCases, type PathCase } from '#test/support/changes/corpus.ts';
import { toolRun } from '#test/support/changes/tools.ts';
import { address, makeWorld, type World } from '#test/support/changes/world.ts';

/** The tool call that a case stands for; null where no tool of ours does it. */
function callOf(one: PathCase, path: string, target: string | undefined): [string, Record<string, unknown>] | null {
  switch (one.op) {
    case 'read': return ['read_file', { path }];
    case 'list': return ['list_files', { path }];
    case 'search': return ['search_text', { path, query: 'canary-' }];
    case 'create': return ['create_file', { path, content: 'x\n' }];
    case 'write': return ['write_file', { path, content: 'x\n' }];
    case 'copy': return ['copy_file', { path, to: target }];
    case 'move': return ['move_file', { path, to: target }];
    case 'rename': return ['rename_file', { path, name: target }];
    case 'trash': return ['trash_file', { path }];
    default: return null;
  }
}

/** The whole way through the real tools, every question answered with yes: still nothing outside is touched or shown. */
describe('path corpus through the real tools', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld();
  });
  afterEach(() => world.clean());
  const cases = pathCases().filter((one) => (one.platform === 'any' || one.platform === 'posix') && !one.setup?.some((step) => /^(?:race|choose|ln \$\{OUT)/.test(step)));
  for (const one of cases) {
    if (callOf(one, '', '') === null || one.op === 'chooseRoot') continue;
    for (const caller of ['local', 'model'] as const)
      it(`[WA-PRINCIPLE-09] ${one.id} ${one.family} (${caller}): ${one.op} ${JSON.stringify(one.path).slice(0, 60)} touches and shows nothing outside`, async () => {
        for (const step of one.setup ?? []) world.set(step);
        const before = world.outside();
        const run = toolRun(world, { gate: { caller, permission: 'review' }, addresses: [address(world.ws, 'confirm')] });
        const [name, args] = callOf(one, world.expand(one.path), one.target === undefined ? undefined : world.expand(one.target))!;
        const prepared = await run.prepare(name, args);
        const asksOutside = prepared.go === 'ask' && prepared.plan.warnings.some((warning) => warning.key === 'warn.outside');
        // A run that reviews may ask for a place outside; the person says no here.
        const out = prepared.go === 'refuse' ? prepared.outcome : asksOutside && caller === 'model' ? null : await prepared.run(new AbortController().signal);
        if (caller === 'local') expect(asksOutside).toBe(false);
        expect(JSON.stringify([prepared, out, run.kit.journal.entries])).not.toContain(world.canary);
        if (one.op !== 'trash') expect(world.outside()).toBe(before);
        else expect(world.outside().length).toBe(64);
        if (!['sensitive', 'deny'].includes(one.expect) || one.accept !== undefined || out === null) return;
        expect(out.outcome === 'ok' ? JSON.stringify(out.data) : 'refused', one.why).toMatch(/refused|"matches":\[\]/);
      });
  }
});

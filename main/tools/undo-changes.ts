import * as z from 'zod/mini';
import type { Plan } from '#domain/events/index.ts';
import type { ChangeRecord } from '#projections/conversation/views.ts';
import { defineTool, shortName } from './support/define.ts';
import { failedOutcome, refusal } from './support/outcomes.ts';
import type { Prepared, ToolContext, ToolOutcome } from './types.ts';

const args = z.strictObject({});

/**
 * Takes back what the newest earlier run of this partner changed, through the same revert as the
 * button: a file that changed since is left alone and reported. Asked for like any other change.
 */
export const undoChanges = defineTool(args, {
  name: 'undo_changes',
  description: 'Take back all file changes of the newest earlier run of this conversation that still has any. Files that changed since are left alone and reported.',
  risk: 'medium',
  changes: true,
  shown: () => ({ key: 'tool.undo', params: {} }),
  prepare: async (_args, context): Promise<Prepared> => {
    const found = await context.undo.newest();
    const first = found?.records[0];
    if (!found || !first) return { go: 'refuse', outcome: { outcome: 'failed', code: 'undo.none', text: 'There is no change to take back.' } };
    // A move comes back to where it was: that place is changed too, and may lie elsewhere.
    const paths = [...new Set(found.records.flatMap((r) => [r.path, r.from]))];
    const judged = () => Promise.all(paths.map((path) => context.gate.judge('revert', path, context.gateContext)));
    const verdicts = await judged();
    const refused = verdicts.find((v) => v.verdict === 'refuse');
    if (refused?.verdict === 'refuse') return refusal(refused);
    const run = async (): Promise<ToolOutcome> => {
      // A yes may come long after the question: a folder may be a link by now.
      const now = (await judged()).find((v) => v.verdict === 'refuse');
      if (now?.verdict === 'refuse') return failedOutcome(now, 'refused');
      const done = await context.undo.revert(found.run);
      if (!done.ok) return failedOutcome(done.error);
      const lines = done.value.items.map((i) => (i.state === 'done' ? shortName(i.path) : `${shortName(i.path)}: ${i.state} [${i.failure?.code ?? ''}]`));
      const bad = done.value.items.find((i) => i.state !== 'done');
      if (bad && done.value.items.every((i) => i.state !== 'done')) return { ...failedOutcome(bad.failure ?? { code: 'change.stale' }), params: { path: bad.path } };
      return { outcome: 'ok', text: lines.join(', ') };
    };
    if (verdicts.every((v) => v.verdict === 'do')) return { go: 'do', run };
    return { go: 'ask', plan: planOf(context, first, found.records.length - 1, verdicts.some((v) => v.verdict === 'askStrongly')), run };
  },
});

function planOf(context: ToolContext, record: ChangeRecord, more: number, strong: boolean): Plan {
  return {
    call: context.call, op: 'revert', path: record.path, ...(record.from === record.path ? {} : { to: record.from }), kind: record.kind, address: null,
    before: record.after, after: record.before, risk: 'medium', strong, warnings: more > 0 ? [{ key: 'warn.more', params: { n: more } }] : [],
    ...(record.removed === null ? {} : { added: record.removed }), ...(record.added === null ? {} : { removed: record.added }),
    shown: { key: 'tool.revert', params: { name: shortName(record.path) } },
  };
}

import { fail, type Failure, type Result } from '#domain/result.ts';
import type { ChangeId, PartnerId, RunId } from '#domain/ids.ts';
import type { Connection } from '#main/api/client.ts';
import type { ChangeRow } from '#main/api/service.ts';
import type { DiffView } from '#main/api/views.ts';
import { numberOf } from './arguments.ts';
import type { Command } from './context.ts';
import { EXIT } from './output.ts';
import { withPartner } from './pick.ts';

/** What was changed, how, and taking it back. */
export const CHANGE_COMMANDS: readonly Command[] = [
  {
    use: 'changes PARTNER [--limit 1..200]',
    run: withPartner(async ({ connection, out, args }, partner) => out.each(await connection.call['changes.list']({ partner, limit: numberOf(args, 'limit') ?? 50 }), rowText)),
  },
  {
    use: 'diff CHANGE',
    async run({ connection, out }, [given = '']) {
      const found = await find(connection, given);
      const record = found.ok ? found.value.record : null;
      if (!found.ok || !record) return out.failure(found.ok ? { code: 'revert.noRecord' } : found.error);
      const diff = await connection.call['change.diff']({ partner: found.value.partner, before: record.before?.hash ?? null, after: record.after?.hash ?? null });
      return out.one(diff, (d) => (d.kind === 'text' ? unified(d, record.before ? record.from : '/dev/null', record.after ? record.path : '/dev/null') : `${record.path}: ${d.kind}`));
    },
  },
  {
    use: 'revert CHANGE|RUN [--dry-run] [--force] [--undo]',
    finishes: true,
    async run({ connection, out, args }, [given = '']) {
      const found = await find(connection, given);
      if (!found.ok) return out.failure(found.error);
      const { partner, run, record } = found.value;
      const has = (flag: string) => args.options[flag] === true;
      const done = await connection.call['change.revert']({
        partner, run, ...(record ? { record: record.record } : {}),
        ...(has('dry-run') ? { dryRun: true } : {}), ...(has('force') ? { force: true } : {}), ...(has('undo') ? { undo: true } : {}),
      });
      if (!done.ok) return out.failure(done.error);
      out.value(done.value, done.value.items.map((i) => `${i.state}  ${i.effect}  ${i.path}${i.failure ? `  [${i.failure.code}]` : ''}`).join('\n'));
      const bad = done.value.items.find((i) => i.state !== 'done' && i.state !== 'planned');
      if (!bad) return EXIT.done;
      // With --json the report says it already: one value for one call.
      return out.json || !bad.failure ? EXIT.failed : out.failure(bad.failure);
    },
  },
];

/** Whose a change or run is, by its id. Codes: revert.noRecord, revert.noRun. */
async function find(connection: Connection, given: string): Promise<Result<{ readonly partner: PartnerId; readonly run: RunId; readonly record: ChangeRow['record'] | null }, Failure>> {
  if (given.startsWith('run_')) return connection.call['change.find']({ run: given as RunId });
  return given.startsWith('change_') ? connection.call['change.find']({ change: given as ChangeId }) : fail('revert.noRecord');
}

function rowText({ record, run }: ChangeRow): string {
  return `${record.record}  ${record.state}  ${record.op}  ${record.path}  +${record.added ?? 0} -${record.removed ?? 0}  ${run ?? ''}`;
}

/** A unified diff without context, as `patch` reads it. */
function unified(d: Extract<DiffView, { kind: 'text' }>, from: string, to: string): string {
  // An empty side is named by the line before it.
  const span = (start: number, end: number) => `${start === end ? start : start + 1},${end - start}`;
  const side = (mark: string, lines: readonly string[], start: number, end: number, ends: boolean) =>
    lines.slice(start, end).flatMap((line, i) => [mark + line, ...(!ends && start + i === lines.length - 1 ? ['\\ No newline at end of file'] : [])]);
  const hunks = d.hunks.flatMap((h) => [
    `@@ -${span(h.oldFrom, h.oldTo)} +${span(h.newFrom, h.newTo)} @@`,
    ...side('-', d.oldText, h.oldFrom, h.oldTo, d.oldEndsWithNewline), ...side('+', d.newText, h.newFrom, h.newTo, d.newEndsWithNewline),
  ]);
  return [`--- ${from}`, `+++ ${to}`, ...hunks].join('\n');
}

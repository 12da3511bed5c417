import { createInterface } from 'node:readline/promises';
import type { PartnerId, RunId } from '#domain/ids.ts';
import { sayFailure, sayUnknown } from '#domain/words/words.ts';
import type { ConversationPush, WireEvent } from '#main/api/views.ts';
import { topics } from '#main/api/service.ts';
import { option } from './arguments.ts';
import { modelFrom, type CommandContext } from './context.ts';
import { EXIT, type Exit } from './output.ts';

const ENDS: Readonly<Record<string, Exit>> = { RunCompleted: EXIT.done, RunStopped: EXIT.failed, RunFailed: EXIT.failed, RunLimitReached: EXIT.failed, RunInterrupted: EXIT.failed };

/**
 * Sends a message and follows its run to the end: with `--json` one event a line and `{"result":…}`
 * last. `--approve all` says yes to every card, `none` says no, `ask` (default) asks on the terminal and
 * exits 3 where there is none, leaving the run waiting in the running product.
 */
export async function send(context: CommandContext, partner: PartnerId, words: readonly string[]): Promise<Exit> {
  const { connection, out, args } = context;
  const text = words.join(' ');
  const approve = option(args, 'approve') ?? 'ask';
  const permission = option(args, 'permission');
  if (!text || !['all', 'none', 'ask'].includes(approve) || (permission !== undefined && permission !== 'review' && permission !== 'full')) {
    return out.usage('send PARTNER TEXT [--approve all|none|ask] [--permission review|full] [--model PROVIDER/MODEL]');
  }
  const wanted = option(args, 'model');
  const model = wanted ? await modelFrom(connection, wanted) : undefined;
  if (model === null) return out.failure({ code: 'model.missing', params: { model: wanted ?? '' } });

  let run: RunId | null = null;
  const early: WireEvent[] = [];
  let finish: (exit: Exit) => void = () => {};
  const ended = new Promise<Exit>((done) => (finish = done));
  const take = (event: WireEvent) => {
    if (event.run !== run) return;
    const text = textOf(event, out.language);
    if (out.json || text !== '') out.value(event, text);
    const exit = ENDS[event.type];
    if (exit !== undefined) finish(exit);
    if (event.type === 'ApprovalAsked') void answer(event).then((stop) => stop !== null && finish(stop));
  };
  const end = connection.subscribe(topics.conversation(partner), null, (data) => {
    const push = data as ConversationPush;
    if (push.kind !== 'events') return;
    for (const event of push.events) {
      if (run === null) early.push(event);
      else take(event);
    }
  });
  void connection.closed.then(() => finish(EXIT.failed));
  const sent = await connection.call['run.send']({ partner, text, ...(model ? { model } : {}), ...(permission ? { permission } : {}) });
  if (!sent.ok) {
    end();
    return out.failure(sent.error);
  }
  run = sent.value.run;
  for (const event of early.splice(0)) take(event);
  const exit = await ended;
  end();
  const page = await connection.call['conversation.page']({ partner, limit: 5 });
  const turn = page.ok ? page.value.turns.find((t) => t.run === run) : undefined;
  const result = { run, status: turn?.status ?? 'unknown', answer: turn?.answer?.text ?? null, changes: turn?.records ?? [], failure: turn?.failure ?? null };
  out.value({ result }, `[${result.status}] ${run}`);
  return exit;

  async function answer(event: WireEvent): Promise<Exit | null> {
    const { batch, plans } = event.data as { batch: never; plans: readonly { call: string; op: string; path: string; to?: string }[] };
    let decision: 'approve' | 'reject' = approve === 'all' ? 'approve' : 'reject';
    if (approve === 'ask') {
      if (!process.stdin.isTTY || out.json) return EXIT.waiting;
      const terminal = createInterface({ input: process.stdin, output: process.stderr });
      const said = await terminal.question(plans.map((p) => `${p.op} ${p.path}${p.to ? ` -> ${p.to}` : ''}`).join('\n') + '\n[y/N] ');
      terminal.close();
      decision = /^y(es)?$/i.test(said.trim()) ? 'approve' : 'reject';
    }
    const decided = await connection.call['approval.decide']({ partner, batch, decisions: plans.map((p) => ({ call: p.call, decision })) });
    if (!decided.ok) out.failure(decided.error);
    return decided.ok ? null : EXIT.failed;
  }
}

/** What a person reads of an event; empty for what only machines need. */
function textOf(event: WireEvent, language: 'zh' | 'en'): string {
  const data = event.data as { text?: { text?: string; head?: string }; shown?: { key: string; params: Record<string, unknown> }; path?: string; op?: string; code?: string } | null;
  const said = data?.text?.text ?? data?.text?.head;
  if (event.type === 'AnswerRecorded' || event.type === 'ThoughtRecorded') return said ?? '';
  if (event.type === 'ToolCalled') return `· ${sayUnknown(language, data?.shown?.key ?? '', (data?.shown?.params ?? {}) as never) ?? ''}`;
  if (event.type === 'FileChanged') return `± ${data?.path ?? ''}`;
  if (event.type === 'ApprovalAsked') return '?';
  return data?.code ? sayFailure(language, { code: data.code }).what : '';
}

import { createInterface } from 'node:readline/promises';
import type { Plan } from '#domain/events/index.ts';
import type { BatchId, PartnerId, RunId } from '#domain/ids.ts';
import { sayFailure, sayUnknown } from '#domain/words/words.ts';
import { topics } from '#main/api/service.ts';
import type { ConversationPush, PartnersPush, TurnView, WireEvent } from '#main/api/views.ts';
import { option } from './arguments.ts';
import type { Command, CommandContext } from './context.ts';
import { EXIT, type Exit } from './output.ts';
import { modelFrom, withPartner } from './pick.ts';

const ENDS: Readonly<Record<string, Exit>> = { RunCompleted: EXIT.done, RunStopped: EXIT.failed, RunFailed: EXIT.failed, RunLimitReached: EXIT.failed, RunInterrupted: EXIT.failed };

/**
 * Sends a message and follows its run to the end: with `--json` one event a line and `{"result":…}`
 * last. `--approve all` says yes to every card, `none` says no, `ask` (default) asks on the terminal and
 * exits 3 where there is none, leaving the run waiting in the running product. Ctrl-C stops the run.
 */
export const SEND_COMMAND: Command = {
  use: 'send PARTNER TEXT [--approve all|none|ask] [--permission review|full] [--model PROVIDER/MODEL]',
  finishes: true,
  run: withPartner(send),
};

async function send(context: CommandContext, partner: PartnerId, words: readonly string[]): Promise<Exit> {
  const { connection, out, args, interrupted } = context;
  const permission = option(args, 'permission') as 'review' | 'full' | undefined;
  const wanted = option(args, 'model');
  const model = wanted === undefined ? null : await modelFrom(connection, wanted);
  if (model && !model.ok) return out.failure(model.error);

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
    if (event.type === 'ApprovalAsked') void answer(context, partner, event).then((stop) => stop !== null && finish(stop));
  };
  const following = await follow(context, partner, (push) => {
    if (push.kind === 'events') {
      for (const event of push.events) {
        if (run === null) early.push(event);
        else take(event);
      }
    } else if (push.kind === 'page') {
      // The log was cut back, and a page stands for what came: the end may be in it.
      const turn = push.page.turns.find((t) => t.run === run);
      if (turn?.endedAt) finish(turn.status === 'completed' ? EXIT.done : EXIT.failed);
    }
  });
  if (typeof following === 'number') return following;
  let lost = false;
  void connection.closed.then(() => {
    lost = true;
    finish(EXIT.failed);
  });
  if (interrupted.aborted) return interrupted.reason as Exit;
  const sent = await connection.call['run.send']({ partner, text: words.join(' '), ...(model ? { model: model.value } : {}), ...(permission ? { permission } : {}) });
  if (!sent.ok) {
    following();
    return out.failure(sent.error);
  }
  run = sent.value.run;
  const stop = () => void connection.call['run.stop']({ partner });
  if (interrupted.aborted) stop();
  else interrupted.addEventListener('abort', stop, { once: true });
  for (const event of early.splice(0)) take(event);
  // A log that refuses the run's end gives no ending event: then an idle partner is the end.
  const watching = connection.subscribe(topics.partners, null, (data) => {
    const push = data as PartnersPush;
    const mine = push.kind === 'list' ? push.partners.find((p) => p.id === partner) : push.kind === 'changed' && push.partner.id === partner ? push.partner : undefined;
    if (mine?.activity === 'idle') finish(EXIT.failed);
  });
  const exit = await ended;
  watching();
  following();
  if (lost) return out.failure({ code: 'cli.lost', params: { run } });
  await conclude(context, partner, run);
  return interrupted.aborted ? (interrupted.reason as Exit) : exit;
}

/** Follows the conversation, once its first page is there: what comes after is all that a new run does. Or the exit when it cannot be followed. */
function follow({ connection, out }: CommandContext, partner: PartnerId, hear: (push: ConversationPush) => void): Promise<(() => void) | Exit> {
  return new Promise((done) => {
    let first = true;
    const end = connection.subscribe(
      topics.conversation(partner), null,
      (data) => {
        if (!first) return hear(data as ConversationPush);
        first = false;
        done(end);
      },
      (failure) => done(out.failure(failure)),
    );
    void connection.closed.then(() => first && done(out.failure({ code: 'cli.lost' })));
  });
}

/** The result of a run, as the last line. */
async function conclude({ connection, out }: CommandContext, partner: PartnerId, run: RunId): Promise<void> {
  const page = await connection.call['conversation.page']({ partner, limit: 20 });
  const turn = page.ok ? page.value.turns.find((t) => t.run === run) : undefined;
  const whole = await wholeAnswer();
  // The head of a long answer is not printed as it comes: here is all of it.
  if (turn?.answer?.more && !out.json) out.value(null, whole ?? '');
  if (turn?.failure && !out.json) out.failure({ code: turn.failure.code, ...(turn.failure.detail ? { detail: turn.failure.detail } : {}) });
  const result = { run, status: turn?.status ?? 'unknown', answer: whole, changes: turn?.records ?? [], failure: turn?.failure ?? null };
  out.value({ result }, `[${result.status}] ${run}`);

  async function wholeAnswer(): Promise<string | null> {
    const answer: TurnView['answer'] = turn?.answer ?? null;
    if (!answer?.more) return answer?.text ?? null;
    const read = await connection.call['text.read']({ partner, blob: answer.more.blob });
    return read.ok ? read.value.text : answer.text;
  }
}

/** Answers a card as told; the exit when nobody can or the answer is refused, null when the run goes on. */
async function answer({ connection, out, args, interrupted }: CommandContext, partner: PartnerId, event: WireEvent): Promise<Exit | null> {
  const { batch, plans } = event.data as { batch: BatchId; plans: readonly Plan[] };
  const approve = option(args, 'approve') ?? 'ask';
  let decision: 'approve' | 'reject' = approve === 'all' ? 'approve' : 'reject';
  if (approve === 'ask') {
    const said = process.stdin.isTTY && !out.json ? await ask(interrupted) : null;
    if (said === null) return interrupted.aborted ? null : EXIT.waiting;
    decision = said ? 'approve' : 'reject';
  }
  const decided = await connection.call['approval.decide']({ partner, batch, decisions: plans.map((p) => ({ call: p.call, decision })) });
  // Stopped in the meantime: the run's own end says so.
  if (decided.ok || interrupted.aborted) return null;
  return out.failure(decided.error);
}

/** Asks on the terminal; null when the person leaves (Ctrl-C, Ctrl-D). */
async function ask(interrupted: AbortSignal): Promise<boolean | null> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // The terminal is raw while it asks, so that Ctrl-C comes as a key.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const left = new Promise<null>((done) => terminal.once('close', () => done(null)));
    const said = await Promise.race([terminal.question('[y/N] ', { signal: interrupted }).catch(() => null), left]);
    return said === null ? null : /^y(es)?$/i.test(said.trim());
  } finally {
    terminal.close();
  }
}

/** What a person reads of an event; empty for what only machines need. */
function textOf(event: WireEvent, language: 'zh' | 'en'): string {
  const data = event.data as { text?: { text?: string; head?: string }; shown?: { key: string; params: Record<string, unknown> }; path?: string; op?: string; code?: string } | null;
  // The end is said by the result; so is an answer that does not fit in its event.
  if (event.type === 'AnswerRecorded') return data?.text?.text ?? '';
  if (event.type === 'ThoughtRecorded') return data?.text?.text ?? data?.text?.head ?? '';
  if (event.type === 'ToolCalled') return `· ${sayUnknown(language, data?.shown?.key ?? '', (data?.shown?.params ?? {}) as never) ?? ''}`;
  if (event.type === 'FileChanged') return `± ${data?.path ?? ''}`;
  if (event.type === 'ApprovalAsked') return (event.data as { plans: readonly Plan[] }).plans.map((p) => `? ${p.op} ${p.path}${p.to ? ` -> ${p.to}` : ''}`).join('\n');
  return data?.code && event.type !== 'RunFailed' ? sayFailure(language, { code: data.code }).what : '';
}

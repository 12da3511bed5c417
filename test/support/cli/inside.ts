import { join } from 'node:path';
import type { PartnerId, RunId } from '#domain/ids.ts';
import { connect, type Connection } from '#main/api/client.ts';
import { topics } from '#main/api/service.ts';
import type { ConversationPush, TurnView } from '#main/api/views.ts';
import { reachRunning } from '#main/hosts/cli/connect.ts';
import { createNodeHost } from '#main/hosts/node-host.ts';
import { openRealWorkbench } from '#main/hosts/open-workbench.ts';
import { serve } from '#main/server/session.ts';
import { joinedPorts } from '#main/server/stream-port.ts';
import { conversation } from '#projections/conversation/conversation.ts';
import type { Cli } from './cli.ts';

const root = join(import.meta.dirname, '../../..');

/**
 * Opens the product on the command line's data folder in this process, as a host does: to lay out what a
 * test needs without a process a step, or (with `socket`) to be what runs beside.
 */
export async function inside<T>(cli: Cli, act: (api: Connection) => Promise<T>, socket = false): Promise<T> {
  const opened = await openRealWorkbench({ dataDir: cli.data, rootDir: root, version: '0', socket, host: (fs) => createNodeHost('cli', fs, cli.data, () => null) });
  if (!opened.ok) throw new Error(opened.error.code);
  try {
    const [ours, theirs] = joinedPorts();
    serve(opened.value.server, theirs, { channel: 'cli', admits: () => true });
    return await act(must(await connect(ours)));
  } finally {
    await opened.value.close();
  }
}

/** The value of a result that has to be one. */
export function must<T>(result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: { readonly code: string } }): T {
  if (!result.ok) throw new Error(result.error.code);
  return result.value;
}

/** A partner, the work folder under a policy, and a provider `Fake` with the models `fake-model` and `fake/large`. */
export function furnish(cli: Cli, policy: 'readOnly' | 'confirm' | 'direct', baseUrl?: string): Promise<PartnerId> {
  return inside(cli, async ({ call }) => {
    must(await call['address.add']({ path: cli.work, policy }));
    if (baseUrl) must(await call['provider.add']({ name: 'Fake', baseUrl, models: ['fake-model', 'fake/large'] }));
    return must(await call['partner.create']({ name: 'Maple', face: { shape: 'drop', colour: 'lake' } })).id;
  });
}

/** Waits, over a connection of its own to the running product, until a run's turn fits. */
export async function until(cli: Cli, partner: PartnerId, run: RunId, fits: (turn: TurnView) => boolean): Promise<TurnView> {
  const reached = await reachRunning(cli.data, false);
  if (!reached?.ok) throw new Error('nothing runs');
  const { connection, close } = reached.value;
  const turn = await new Promise<TurnView>((done) => {
    let view = conversation.initial;
    connection.subscribe(topics.conversation(partner), null, (data) => {
      const push = data as ConversationPush;
      if (push.kind === 'page') view = { turns: push.page.turns };
      if (push.kind === 'events') for (const event of push.events) view = conversation.project(view, event as never);
      const turn = view.turns.find((t) => t.run === run);
      if (turn && fits(turn)) done(turn);
    });
  });
  await close();
  return turn;
}

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Link } from '#app/feeds/link.svelte.ts';
import { PROTOCOL, type ClientMessage, type Port, type ServerMessage } from '#main/api/wire.ts';

/** One socket as the page sees it; the test is the host. */
class FakePort implements Port {
  readonly sent: ClientMessage[] = [];
  #hear: ((message: unknown) => void) | null = null;
  #closed: (() => void) | null = null;
  send(message: unknown): void {
    this.sent.push(message as ClientMessage);
  }
  onMessage(callback: (message: unknown) => void): () => void {
    this.#hear = callback;
    return () => undefined;
  }
  onClose(callback: () => void): () => void {
    this.#closed = callback;
    return () => undefined;
  }
  async says(message: ServerMessage): Promise<void> {
    this.#hear?.(message);
    await vi.advanceTimersByTimeAsync(0);
  }
  welcome(): Promise<void> {
    return this.says({ t: 'welcome', protocol: PROTOCOL, session: '0' });
  }
  async breaks(): Promise<void> {
    this.#closed?.();
    await vi.advanceTimersByTimeAsync(0);
  }
  subscriptions() {
    return this.sent.filter((m) => m.t === 'subscribe');
  }
}

let ports: FakePort[];
const last = () => ports.at(-1)!;
const linked = (more: Partial<ConstructorParameters<typeof Link>[0]> = {}) =>
  new Link({ open: () => (ports.push(new FakePort()), last()), key: 'a-key', needsKey: true, unwanted: async () => false, ...more });
beforeEach(() => {
  ports = [];
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('the one connection to the host', () => {
  test('says its key first, and is open once it is welcome', async () => {
    const link = linked();
    expect(link.state.kind).toBe('connecting');
    expect(last().sent).toEqual([{ t: 'hello', protocol: PROTOCOL, key: 'a-key' }]);
    await last().welcome();
    expect(link.state.kind).toBe('open');
  });

  test('without a key it opens nothing', () => {
    expect(linked({ key: null }).state.kind).toBe('noKey');
    expect(ports).toEqual([]);
  });

  test('[WB-COMPOSER-003-AC2] after a break it resumes every topic from the cursor it has seen, and not one that was left', async () => {
    const link = linked();
    const heard: unknown[] = [];
    link.subscribe('app', (data) => heard.push(data));
    const leave = link.subscribe('partners', () => undefined);
    await last().welcome();
    const [app, partners] = last().subscriptions();
    expect([app, partners]).toMatchObject([{ topic: 'app', from: null }, { topic: 'partners', from: null }]);
    await last().says({ t: 'push', id: app!.id, cursor: 'o:7', data: 'seven' });
    await last().breaks();
    expect(link.state.kind).toBe('offline');
    leave();
    await vi.advanceTimersByTimeAsync(300);
    expect(ports.length).toBe(2);
    await last().welcome();
    expect(link.state.kind).toBe('open');
    expect(last().subscriptions()).toMatchObject([{ topic: 'app', from: 'o:7' }]);
    await last().says({ t: 'push', id: last().subscriptions()[0]!.id, cursor: 'o:8', data: 'eight' });
    expect(heard).toEqual(['seven', 'eight']);
  });

  test('a call that was on its way answers with a lost connection; so does one made meanwhile', async () => {
    const link = linked();
    await last().welcome();
    const asked = link.call.ping({});
    await last().breaks();
    expect(await asked).toMatchObject({ ok: false, error: { code: 'port.closed' } });
    expect(await link.call.ping({})).toMatchObject({ ok: false, error: { code: 'port.closed' } });
  });

  test('waits longer each time, begins anew after success, and a person need not wait', async () => {
    const link = linked();
    await last().welcome();
    await last().breaks();
    for (const [tries, wait] of [[2, 300], [3, 600], [4, 1200]] as const) {
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(ports.length).toBe(tries - 1);
      await vi.advanceTimersByTimeAsync(1);
      expect(ports.length).toBe(tries);
      await last().breaks();
    }
    link.retry();
    expect(ports.length).toBe(5);
    // Twice at once opens no second line.
    link.retry();
    expect(ports.length).toBe(5);
    await last().welcome();
    await last().breaks();
    await vi.advanceTimersByTimeAsync(300);
    expect(ports.length).toBe(6);
  });

  test('a first start that takes a moment is no outage; three failed tries are', async () => {
    const link = linked();
    await last().breaks();
    await vi.advanceTimersByTimeAsync(300);
    await last().breaks();
    expect(link.state.kind).toBe('connecting');
    await vi.advanceTimersByTimeAsync(600);
    await last().breaks();
    expect(link.state.kind).toBe('offline');
  });

  test('a refusal ends it with its reason; a host that no longer wants this page sends it to the launch address', async () => {
    const refused = linked();
    await last().says({ t: 'refused', why: 'clientTooOld' });
    expect(refused.state).toMatchObject({ kind: 'refused', failure: { code: 'handshake.clientTooOld' } });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ports.length).toBe(1);

    ports = [];
    const link = linked({ unwanted: async () => true });
    await last().welcome();
    await last().breaks();
    for (const wait of [300, 600, 1200]) {
      await vi.advanceTimersByTimeAsync(wait);
      await last().breaks();
    }
    expect(link.state.kind).toBe('noKey');
    const tries = ports.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ports.length).toBe(tries);
  });

  test('who subscribes hears why a topic brings nothing', async () => {
    const link = linked();
    const why: string[] = [];
    link.subscribe('conversation:x', () => undefined, (failure) => why.push(failure.code));
    await last().welcome();
    await last().says({ t: 'result', id: last().subscriptions()[0]!.id, result: { ok: false, error: { code: 'partner.unknown' } } });
    expect(why).toEqual(['partner.unknown']);
  });
});

import type { ModelCall } from '../types.ts';

/** One `delta.tool_calls` item, as loosely as providers send it. */
export interface CallDelta {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null;
}

/**
 * Joins streamed tool-call pieces. Tolerates a missing index, repeated or empty ids, a name that comes
 * twice and arguments sent as an object (all seen at real providers; research/agent.md §1).
 */
export class CallAssembler {
  readonly #calls: { index: number | null; id: string; name: string; args: string }[] = [];

  take(delta: CallDelta): void {
    const index = typeof delta.index === 'number' ? delta.index : null;
    const id = delta.id ?? '';
    const name = delta.function?.name ?? '';
    let call = this.#find(index, id, name);
    if (!call) {
      call = { index, id, name: '', args: '' };
      this.#calls.push(call);
    }
    if (id) call.id = id;
    // Some providers repeat the whole name with every piece, others send it in pieces.
    if (name && call.name !== name) call.name = call.args === '' ? call.name + name : call.name;
    const args = delta.function?.arguments;
    if (typeof args === 'string') call.args += args;
    else if (args !== null && args !== undefined) call.args = JSON.stringify(args);
  }

  #find(index: number | null, id: string, name: string) {
    const last = this.#calls.at(-1);
    if (index !== null) {
      const same = this.#calls.find((c) => c.index === index);
      // The same index with another id and a new name is another call at providers that always say 0.
      const another = same && id && same.id && same.id !== id && name;
      return another ? undefined : same;
    }
    if (id) {
      const same = this.#calls.find((c) => c.id === id);
      // A complete call followed by a new name under the same id is a repeat of the id, not of the call.
      return same && name && same.args !== '' && isComplete(same.args) ? undefined : same;
    }
    return name && last && last.args !== '' ? undefined : last;
  }

  /** In the order they began. */
  calls(): readonly ModelCall[] {
    return this.#calls.map(({ id, name, args }) => ({ id, name, args }));
  }
}

function isComplete(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

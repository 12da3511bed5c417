import type { CallId, Hash } from '#domain/ids.ts';
import { fail } from '#domain/result.ts';
import { createGate } from '#main/gate/gate.ts';
import type { GateAddress, GateContext } from '#main/gate/types.ts';
import { createTools } from '#main/tools/registry.ts';
import type { Prepared, ToolContext, ToolOutcome } from '#main/tools/types.ts';
import { makeChanges, RUN } from './stores.ts';
import { address, context, type World } from './world.ts';

export interface ToolRun {
  readonly kit: ReturnType<typeof makeChanges>;
  readonly context: ToolContext;
  prepare(name: string, args: unknown): Promise<Prepared>;
  /** Prepares, says yes where asked, runs. */
  call(name: string, args: unknown): Promise<ToolOutcome>;
}

/** One run with all file tools on a world's disk. Default: a model with full access in `ws`. */
export function toolRun(world: World, more: { gate?: Partial<GateContext>; addresses?: readonly GateAddress[]; kit?: ReturnType<typeof makeChanges> } = {}): ToolRun {
  const kit = more.kit ?? makeChanges(world);
  const gateContext = context(more.addresses ?? [address(world.ws, 'direct')], { caller: 'model', permission: 'full', ...more.gate });
  const toolContext: ToolContext = {
    run: RUN, call: 'call-1' as CallId, gate: createGate({ fs: kit.fs, flavour: 'posix', home: null, dataDir: world.data }), gateContext, fs: kit.fs,
    clock: { now: () => new Date(2026, 0, 2, 3, 4, 5).getTime(), after: () => () => undefined }, blobs: kit.blobs, changes: kit.changes, trash: kit.trash,
    undo: { newest: async () => null, revert: async () => fail('undo.none') },
    seen: new Map<string, Hash | null>(), baselines: new Map<string, Hash | null>(),
  };
  const tools = createTools();
  const prepare = async (name: string, args: unknown): Promise<Prepared> => {
    const tool = tools.get(name)!;
    const parsed = tool.parse(args);
    if (!parsed.ok) return { go: 'refuse', outcome: { outcome: 'failed', text: parsed.error.code, code: parsed.error.code } };
    return tool.prepare(parsed.value, toolContext);
  };
  return {
    kit, context: toolContext, prepare,
    call: async (name, args) => {
      const prepared = await prepare(name, args);
      return prepared.go === 'refuse' ? prepared.outcome : prepared.run(new AbortController().signal);
    },
  };
}

import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { FileState } from '#domain/events/index.ts';
import type { makeChanges } from './stores.ts';
import { makeWorld, type World } from './world.ts';

/** Folders of its own for each test, gone after it. Call it once at the top of a test file. */
export function eachWorld(): { world: World; at(name: string): string } {
  const each = { at: (name: string) => join(each.world.ws, name) } as { world: World; at(name: string): string };
  beforeEach(() => void (each.world = makeWorld()));
  afterEach(() => each.world.clean());
  return each;
}

/** The state of a file that is known to be readable, as a request expects it. */
export async function stateNow(kit: ReturnType<typeof makeChanges>, path: string): Promise<FileState | null> {
  const state = await kit.changes.inspect(path);
  if (!state.ok) throw new Error(state.error.code);
  return state.value;
}

export const codeOf = (result: { readonly ok: boolean; readonly error?: { readonly code: string } }): string => (result.ok ? 'ok' : result.error!.code);

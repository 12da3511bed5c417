import type { Change } from '#domain/events/index.ts';
import { parentOf } from '#domain/policy/flavour.ts';
import { flush } from './copy.ts';
import { quietly, type Kit } from './kit.ts';
import { lstatOrNull } from '#main/fs/lstat-or-null.ts';
import { sameState, stateAt } from './look.ts';
import type { Changes } from './types.ts';

type Outcome = 'applied' | 'notApplied' | 'unknown';

/** Settles what a crash left open by comparing hashes, never by guessing (design §4). A file that cannot be read is `unknown`. */
export async function settle(kit: Kit, intents: readonly Change[]): ReturnType<Changes['settle']> {
  const out: { change: Change['change']; outcome: Outcome }[] = [];
  for (const intent of intents) {
    const outcome = await outcomeOf(kit, intent).catch((): Outcome => 'unknown');
    await makeDurable(kit, intent);
    out.push({ change: intent.change, outcome });
  }
  return out;
}

/** What the next line of the log says of the disk must stay true if the power goes: a killed process flushed nothing. */
async function makeDurable(kit: Kit, { path, to }: Change): Promise<void> {
  for (const one of to === undefined ? [path] : [path, to]) {
    await quietly(async () => {
      if ((await lstatOrNull(kit.fs, one))?.kind !== 'file') return;
      await flush(kit, one);
    });
    await quietly(() => kit.fs.syncDir(parentOf(one, kit.flavour)));
  }
}

async function outcomeOf(kit: Kit, intent: Change): Promise<Outcome> {
  const moves = intent.to !== undefined && intent.op !== 'copy';
  if (moves) return moved(kit, intent, intent.to!);
  const now = await stateAt(kit.fs, intent.to ?? intent.path);
  if (sameState(now, intent.after)) return 'applied';
  return sameState(now, intent.before) ? 'notApplied' : 'unknown';
}

async function moved(kit: Kit, intent: Change, to: string): Promise<Outcome> {
  const source = await lstatOrNull(kit.fs, intent.path);
  const target = await lstatOrNull(kit.fs, to);
  const sameInode = source !== null && target !== null && source.dev === target.dev && source.ino === target.ino;
  if (sameInode && (await isOneName(kit, intent.path, to))) return (await isListed(kit, to)) ? 'applied' : 'notApplied';
  if (sameInode && source.kind === 'file') {
    // Stopped between the new name and leaving the old one: both show one file, so leaving it loses nothing.
    return (await quietly(() => kit.fs.unlink(intent.path))) ? 'applied' : 'unknown';
  }
  if (source === null && sameState(await stateAt(kit.fs, to), intent.after)) return 'applied';
  if (target === null && sameState(await stateAt(kit.fs, intent.path), intent.before)) return 'notApplied';
  return 'unknown';
}

/** Only one of two names is listed: the volume takes them for one. */
async function isOneName(kit: Kit, a: string, b: string): Promise<boolean> {
  return !((await isListed(kit, a)) && (await isListed(kit, b)));
}

async function isListed(kit: Kit, path: string): Promise<boolean> {
  const cut = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return (await kit.fs.readdir(path.slice(0, cut) || '/')).some((one) => one.name === path.slice(cut + 1));
}

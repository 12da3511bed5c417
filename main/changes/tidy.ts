import { quietly, type Kit } from './kit.ts';
import type { Place } from './place.ts';

/** Takes a name of ours away, also when the disk refuses once. The next flush of the folder makes it durable. */
export function unlinkOurs(kit: Kit, place: Place, name: string): Promise<void> {
  return atMostTwice(() => kit.fs.unlink(place.at(name)));
}

/** The same, durably: no power loss brings it back. What stays in spite of this is swept at a start after a crash (sweep.ts). */
export async function tidy(kit: Kit, place: Place, name: string): Promise<void> {
  await unlinkOurs(kit, place, name);
  await atMostTwice(() => place.sync());
}

async function atMostTwice(deed: () => Promise<void>): Promise<void> {
  if (!(await quietly(deed))) await quietly(deed);
}

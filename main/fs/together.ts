/** All of them, and none is left running when one fails: what they work on may be closed next. */
export async function together<T extends readonly Promise<unknown>[]>(...work: T): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  await Promise.allSettled(work);
  return (await Promise.all(work)) as { -readonly [I in keyof T]: Awaited<T[I]> };
}

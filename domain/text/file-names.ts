/** Two spellings of one name: composed and decomposed letters are the same to a reader (case 23). */
export function sameSpelling(a: string, b: string): boolean {
  return a === b || a.normalize('NFC') === b.normalize('NFC');
}

export type FoundName = { readonly found: 'one'; readonly name: string } | { readonly found: 'none' } | { readonly found: 'several'; readonly names: readonly string[] };

/** The name on the disk that `wanted` means: an exact one first, else the only one with the same spelling. */
export function findName(wanted: string, names: readonly string[]): FoundName {
  if (names.includes(wanted)) return { found: 'one', name: wanted };
  const same = names.filter((name) => sameSpelling(name, wanted));
  if (same.length === 0) return { found: 'none' };
  return same.length === 1 ? { found: 'one', name: same[0]! } : { found: 'several', names: same };
}

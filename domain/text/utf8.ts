/** Strict UTF-8 both ways, by hand: this folder has no globals beyond the language, and nothing may become U+FFFD (case 19). */

/**
 * Decodes bytes; null when they are not valid UTF-8 (over-long forms, surrogates and values above
 * U+10FFFF included). A byte-order mark is decoded like any other character.
 */
export function decodeUtf8(bytes: Uint8Array): string | null {
  let text = '';
  let units: number[] = [];
  for (let i = 0; i < bytes.length; ) {
    const lead = bytes[i]!;
    if (lead < 0x80) {
      units.push(lead);
      i += 1;
    } else {
      const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
      if (lead < 0xc2 || lead > 0xf4 || i + length > bytes.length) return null;
      let point = lead & (0xff >> (length + 1));
      for (let k = 1; k < length; k++) {
        const next = bytes[i + k]!;
        if ((next & 0xc0) !== 0x80) return null;
        point = (point << 6) | (next & 0x3f);
      }
      if (length === 3 && (point < 0x800 || (point >= 0xd800 && point <= 0xdfff))) return null;
      if (length === 4 && (point < 0x10000 || point > 0x10ffff)) return null;
      if (point > 0xffff) units.push(0xd800 + ((point - 0x10000) >> 10), 0xdc00 + ((point - 0x10000) & 0x3ff));
      else units.push(point);
      i += length;
    }
    // In pieces: a call takes only so many arguments.
    if (units.length >= 8192) {
      text += String.fromCharCode(...units);
      units = [];
    }
  }
  return text + String.fromCharCode(...units);
}

/** Encodes text; null when it holds half a surrogate pair, which no file could hold either. */
export function encodeUtf8(text: string): Uint8Array | null {
  const bytes = new Uint8Array(text.length * 3);
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    let point = text.charCodeAt(i);
    if (point >= 0xd800 && point <= 0xdfff) {
      const low = text.charCodeAt(i + 1);
      if (point > 0xdbff || !(low >= 0xdc00 && low <= 0xdfff)) return null;
      point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
      i += 1;
    }
    if (point < 0x80) bytes[at++] = point;
    else if (point < 0x800) {
      bytes[at++] = 0xc0 | (point >> 6);
      bytes[at++] = 0x80 | (point & 0x3f);
    } else if (point < 0x10000) {
      bytes[at++] = 0xe0 | (point >> 12);
      bytes[at++] = 0x80 | ((point >> 6) & 0x3f);
      bytes[at++] = 0x80 | (point & 0x3f);
    } else {
      bytes[at++] = 0xf0 | (point >> 18);
      bytes[at++] = 0x80 | ((point >> 12) & 0x3f);
      bytes[at++] = 0x80 | ((point >> 6) & 0x3f);
      bytes[at++] = 0x80 | (point & 0x3f);
    }
  }
  return bytes.slice(0, at);
}

/** Longest prefix of at most `limit` bytes that does not cut a character in two. */
export function wholeCharacters(bytes: Uint8Array, limit: number): Uint8Array {
  if (bytes.length <= limit) return bytes;
  let end = limit;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}

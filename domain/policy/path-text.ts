import { fail, ok, type Result } from '../result.ts';
import { isAbsolutePath, type Flavour } from './flavour.ts';

/** Longest path in UTF-8 bytes, below PATH_MAX of every system we run on. */
export const MAX_PATH_BYTES = 4000;
/** Longest name: bytes on Linux, UTF-16 units on Windows and macOS; the stricter one counts everywhere. */
export const MAX_NAME_BYTES = 255;
/** Deeper than any real tree; keeps every later walk short. */
export const MAX_DEPTH = 256;

const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029]/u;
/** Formatting characters without a width: they make two names look alike or turn text round. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Where such characters are part of ordinary spelling: joined emoji, and joiners inside Arabic and Indic words. */
const JOINED = /(?<=\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?)\u200D(?=\p{Extended_Pictographic})|(?<=[\p{Emoji}])\uFE0F|(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{M}])[\u200C\u200D](?=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}])/gu;
const BLANK_TAIL = /[\s\u2800\u3164\u115F\u1160\uFFA0]$/u;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//;
const WIN_ILLEGAL = /[<>"|?*:]/;
/** Also with an extension and with blanks before it: `NUL .txt` opens the device. */
const WIN_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9\u00B9\u00B2\u00B3])[ ]*(?:[.:]|$)/i;
const WIN_SHORT = /^[^~.\\/]{1,6}~[0-9]{1,6}(?:\.[^.\\/]{1,3})?$/;

/**
 * Checks how a path is written, before anything touches the disk: what is refused here would mean
 * different things to us, to the system below and to the person who reads the card (WA-POLICY-01,
 * WA-CFILE-03). Paths are literal: no URL, no `~`, no variable is ever expanded.
 * Codes: gate.name.empty, .control, .invisible, .long, .deep, .url, .home, .backslash, .device, .drive,
 * .illegal, .blankTail, .short.
 */
export function checkPathText(path: string, flavour: Flavour): Result<void> {
  if (path === '') return fail('gate.name.empty');
  // The length first: everything after it may look at each character.
  if (path.length > MAX_PATH_BYTES || utf8Length(path) > MAX_PATH_BYTES) return fail('gate.name.long');
  if (CONTROL.test(path)) return fail('gate.name.control');
  if (SCHEME.test(path) || /^file:/i.test(path)) return fail('gate.name.url');
  if (/^~(?:[\\/]|$)/.test(path)) return fail('gate.name.home');
  const absolute = isAbsolutePath(path, flavour);
  if (flavour === 'win32') {
    if (/^[\\/]/.test(path)) return fail('gate.name.device');
    if (/^[A-Za-z]:/.test(path) && !absolute) return fail('gate.name.drive');
  }
  // A relative path with `\` is one name here and two there: written with `/` it is the same everywhere.
  if (path.includes('\\') && !(flavour === 'win32' && absolute)) return fail('gate.name.backslash');
  const names = path.slice(flavour === 'win32' && absolute ? 3 : 0).split(flavour === 'win32' ? /[\\/]/ : '/');
  if (names.length > MAX_DEPTH) return fail('gate.name.deep');
  for (const name of names) {
    const checked = checkName(name, flavour);
    if (!checked.ok) return checked;
  }
  return ok();
}

/** Checks one name of a path; `.`, `..` and '' (a doubled separator) pass. Codes as above. */
export function checkName(name: string, flavour: Flavour): Result<void> {
  if (name === '' || name === '.' || name === '..') return ok();
  if (CONTROL.test(name)) return fail('gate.name.control');
  if (INVISIBLE.test(name.replace(JOINED, ''))) return fail('gate.name.invisible', { name: visible(name) });
  if (BLANK_TAIL.test(name)) return fail('gate.name.blankTail', { name });
  if (name.length > MAX_NAME_BYTES || utf8Length(name) > MAX_NAME_BYTES) return fail('gate.name.long');
  if (flavour === 'darwin' && name.toLowerCase() === '..namedfork') return fail('gate.name.illegal', { name });
  if (flavour === 'win32') {
    if (WIN_ILLEGAL.test(name)) return fail('gate.name.illegal', { name });
    // Windows drops a final dot, so the name that is checked would not be the name that is opened.
    if (name.endsWith('.')) return fail('gate.name.blankTail', { name });
    if (WIN_DEVICE.test(name)) return fail('gate.name.device', { name });
    if (WIN_SHORT.test(name)) return fail('gate.name.short', { name });
  }
  return ok();
}

/** Checks a bare new name, for rename: no separator of any system (WA-RENAME-02). Codes: gate.name.*, gate.name.separator. */
export function checkBareName(name: string, flavour: Flavour): Result<void> {
  if (name === '') return fail('gate.name.empty');
  if (name === '.' || name === '..') return fail('gate.name.illegal', { name });
  if (/[\\/]/.test(name)) return fail('gate.name.separator', { name: visible(name) });
  return checkName(name, flavour);
}

/** Bytes of the text in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && i + 1 < text.length) {
      bytes += 4;
      i += 1;
    } else bytes += 3;
  }
  return bytes;
}

/** The text with invisible characters written out, so that a refusal can be shown. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, (c) => 'U+' + c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0'));
}

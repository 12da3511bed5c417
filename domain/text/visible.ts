/**
 * A name as it may be shown: control characters, line breaks and those that turn the direction of text
 * are written out, so that one file never looks like two, or like another.
 */
export function visibleName(name: string): string {
  return name.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

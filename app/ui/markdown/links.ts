/** Where a link of a message may lead. Everything else is shown, weakened, and opens nothing. */
export type LinkTarget =
  | { readonly kind: 'web'; readonly url: string; readonly host: string }
  | { readonly kind: 'mail'; readonly address: string; readonly url: string }
  | { readonly kind: 'file'; readonly path: string }
  /** A heading of the same text. */
  | { readonly kind: 'here'; readonly slug: string }
  | { readonly kind: 'blocked' };

const BLOCKED: LinkTarget = { kind: 'blocked' };
const WINDOWS_PATH = /^[A-Za-z]:[\\/](?![\\/])/;
const RASTER = /^data:image\/(?:png|jpe?g|gif|webp|bmp);base64,[A-Za-z0-9+/=\s]+$/i;
/** Files that a system may run when they are opened: a link never leads to one. */
const RUNS = /\.(?:app|appref-ms|bat|bash|chm|cmd|com|command|cpl|desktop|dll|exe|gadget|hta|inf|jar|js|jse|lnk|mjs|msc|msi|msp|pif|pkg|ps1|py|rb|reg|scf|scr|sh|terminal|tool|url|vbe?|vbs|webloc|workflow|ws[cfh]|xpi|zsh)$/i;

/** Judges the text of a link as written. Pure; the same for streaming, final and every other surface. */
export function linkTarget(href: string): LinkTarget {
  const text = decode(href.trim());
  // Control, invisible and direction-turning characters only ever serve to disguise.
  if (text === null || text === '' || text.length > 4096 || /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/.test(text)) return BLOCKED;
  if (WINDOWS_PATH.test(text)) return file(text);
  if (text.startsWith('/') && !/^[/\\]{2}/.test(text) && !text.startsWith('/\\')) return file(text);
  if (/^https?:\/\//i.test(text)) return web(href.trim());
  if (/^#[^\s#]+$/.test(text)) return { kind: 'here', slug: slugOf(text.slice(1)) };
  // Only the address: subject, copies and attachments of a message are the person's to write.
  const mail = /^mailto:([^\s,;?&<>]+@[^\s,;?&<>]+)(?:\?.*)?$/i.exec(text)?.[1];
  if (mail) return { kind: 'mail', address: mail, url: `mailto:${mail}` };
  return BLOCKED;
}

/** A picture that may show at once: raster bytes inside the text itself. */
export function isInlineImage(src: string): boolean {
  return src.length < 4_000_000 && RASTER.test(src);
}

/** The host of a remote picture, for its placeholder; null when there is none to name. */
export function imageHost(src: string): string | null {
  try {
    const url = new URL(src.replaceAll('\\', '/'));
    return /^https?:$/.test(url.protocol) ? url.host : null;
  } catch {
    return null;
  }
}

/** How a heading's text is named by a link: letters and digits of any script, joined by `-`. */
export function slugOf(heading: string): string {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s+/g, '-');
}

function file(path: string): LinkTarget {
  return RUNS.test(path.replace(/[\s.]+$/, '')) || path.includes('\0') ? BLOCKED : { kind: 'file', path };
}

function web(text: string): LinkTarget {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return BLOCKED;
  }
  if (!/^https?:$/.test(url.protocol) || url.host === '' || isThisComputer(url.hostname)) return BLOCKED;
  return { kind: 'web', url: url.href, host: url.host };
}

/** This computer's own services (ours among them) are never a link's target, however the address is spelled. */
function isThisComputer(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '').replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::' || host === '::1' || host === '0.0.0.0') return true;
  return /^127\./.test(host) || /^0\./.test(host) || /^::ffff:(?:7f|127\.|0:|0\.)/.test(host) || /^169\.254\./.test(host) || /^fe80:/.test(host);
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

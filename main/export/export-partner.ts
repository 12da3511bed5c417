import { join } from 'node:path';
import type { StoredEvent } from '#domain/events/index.ts';
import type { Moment } from '#domain/moment.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import { say, type Language } from '#domain/words/words.ts';
import { errnoOf, type FsPort, type OpenFile } from '#main/ports/fs.ts';
import { readableLines } from './readable-lines.ts';
import { ReadingCopy, type ReadBlob } from './reading-copy.ts';

export interface ExportOptions {
  readonly fs: FsPort;
  /** The partner's own directory; it is only read. */
  readonly dir: string;
  /** What the files are named after; null: the name that the history itself gives. */
  readonly name: string | null;
  /** Where the two files go; it is there. */
  readonly into: string;
  readonly language: Language;
  readonly now: number;
  readonly readBlob: ReadBlob;
  /** Acknowledged so far, for a log that is being written just now. */
  readonly upTo?: Moment;
  /** How far the origins are known to have gone. */
  readonly anchors?: Moment;
}

export interface Exported {
  readonly files: readonly string[];
  readonly events: number;
  /** Stretches that could not be read. */
  readonly gaps: number;
}

/** Text is gathered up to this much before it is written. */
const WRITE_BYTES = 256 * 1024;

/**
 * Writes what is readable of one partner: `NAME.ndjson` with the stored lines that verify, byte for byte
 * and in order, and `NAME.md` to read. New files only; neither the log nor anything else is changed. A
 * failure takes the half-written files away again. Codes: export.io {errno}.
 */
export async function exportPartner(options: ExportOptions): Promise<Result<Exported>> {
  const { fs, language } = options;
  const made: string[] = [];
  const open: Sink[] = [];
  try {
    const name = options.name ?? (await nameIn(options)) ?? say(language, 'app.name');
    const at = await freeName(fs, join(options.into, `${fileName(name)} ${stamp(options.now)}`));
    const sink = async (ending: string) => {
      const path = at + ending;
      const file = new Sink(await fs.open(path, 'wx', 0o600));
      made.push(path);
      open.push(file);
      return file;
    };
    const [lines, copy] = [await sink('.ndjson'), await sink('.md')];
    const reading = new ReadingCopy(language, options.readBlob);
    let events = 0;
    let gaps = 0;
    await copy.put(`# ${name.replace(/\s+/g, ' ')}\n\n${say(language, 'export.head', { date: new Date(options.now).toISOString().slice(0, 10) })}\n\n`);
    for await (const found of readableLines(fs, options.dir, options.upTo, options.anchors)) {
      if (found.kind === 'gap') {
        gaps++;
        await copy.put(reading.gap());
        continue;
      }
      events++;
      await lines.put(found.line);
      await copy.put(await reading.event(found.event));
    }
    for (const file of open.splice(0)) await file.close();
    await fs.syncDir(options.into);
    return ok({ files: made, events, gaps });
  } catch (cause) {
    for (const file of open) await file.abandon();
    for (const path of made) await fs.unlink(path).catch(() => undefined);
    return fail('export.io', { errno: errnoOf(cause) }, cause instanceof Error ? cause.message : String(cause));
  }
}

/** The newest name that the history itself gives its partner. */
async function nameIn({ fs, dir }: ExportOptions): Promise<string | null> {
  let name: string | null = null;
  for await (const found of readableLines(fs, dir)) {
    const event = found.kind === 'event' ? (found.event as StoredEvent<string, { readonly name?: unknown }>) : null;
    if ((event?.type === 'PartnerCreated' || event?.type === 'PartnerRenamed') && typeof event.data?.name === 'string') name = event.data.name;
  }
  return name;
}

/** A name that every system takes, at most 60 characters. */
function fileName(name: string): string {
  const safe = [...name.replace(/[\p{C}<>:"/\\|?*]/gu, '-').trim()].slice(0, 60).join('').replace(/^\.+|[. ]+$/g, '');
  return safe === '' ? 'partner' : safe;
}

function stamp(now: number): string {
  return new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
}

/** The base name itself, or with a number, so that neither ending is taken. */
async function freeName(fs: FsPort, base: string): Promise<string> {
  for (let n = 1; ; n++) {
    const at = n === 1 ? base : `${base} (${n})`;
    const taken = await Promise.all(['.ndjson', '.md'].map((ending) => fs.lstat(at + ending).then(() => true, () => false)));
    if (!taken.includes(true)) return at;
  }
}

/** Gathers small pieces and writes them in order. */
class Sink {
  readonly #file: OpenFile;
  #waiting: Uint8Array[] = [];
  #size = 0;
  #at = 0;

  constructor(file: OpenFile) {
    this.#file = file;
  }

  async put(piece: string | Uint8Array): Promise<void> {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    this.#waiting.push(bytes);
    this.#size += bytes.length;
    if (this.#size >= WRITE_BYTES) await this.#flush();
  }

  async close(): Promise<void> {
    await this.#flush();
    await this.#file.sync();
    await this.#file.close();
  }

  async abandon(): Promise<void> {
    await this.#file.close().catch(() => undefined);
  }

  async #flush(): Promise<void> {
    if (this.#size === 0) return;
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#size = 0;
    await this.#file.write(bytes, this.#at);
    this.#at += bytes.length;
  }
}

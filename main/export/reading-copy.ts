import type { LongText, PartnerEvent, StoredEvent } from '#domain/events/index.ts';
import { say, sayFailure, sayUnknown, type Language } from '#domain/words/words.ts';
import type { Hash } from '#domain/ids.ts';

/** The bytes behind a long text; null when they cannot be read any more. */
export type ReadBlob = (hash: Hash) => Promise<Uint8Array | null>;

/** Writes a history as plain Markdown, event by event: what was said, done and changed, in the order it happened. */
export class ReadingCopy {
  readonly #language: Language;
  readonly #readBlob: ReadBlob;
  /** What the last piece was, so that steps stand together as one list. */
  #last: 'list' | 'text' = 'text';

  constructor(language: Language, readBlob: ReadBlob) {
    this.#language = language;
    this.#readBlob = readBlob;
  }

  /** The piece of one event; empty when it has nothing to read. */
  async event(stored: StoredEvent): Promise<string> {
    if (stored.unknown) return this.#block(`*${say(this.#language, 'export.newer')}*`);
    const event = stored as PartnerEvent;
    if (event.data === null) return event.class === 'content' && event.type === 'MessageSent' ? this.#block(`*${say(this.#language, 'talk.erased')}*`) : '';
    switch (event.type) {
      case 'MessageSent': return this.#block(`## ${event.at.slice(0, 16).replace('T', ' ')} UTC · ${say(this.#language, 'talk.youSaid')}\n\n${quoted(await this.#text(event.data.text))}`);
      case 'ThoughtRecorded': return this.#block(italic(await this.#text(event.data.text)));
      case 'AnswerRecorded': return this.#block(await this.#text(event.data.text));
      case 'ToolCalled': return this.#item(sayUnknown(this.#language, event.data.shown.key, event.data.shown.params) ?? say(this.#language, 'tool.unknown'));
      case 'FileChanged': return this.#item(say(this.#language, changeWord(event.data), { path: event.data.to ?? event.data.path, added: event.data.added ?? 0, removed: event.data.removed ?? 0 }));
      case 'RunFailed': return this.#block(`*${sayFailure(this.#language, { code: event.data.code }).what}*`);
      case 'RunStopped': return this.#block(`*${say(this.#language, 'talk.stopped')}*`);
      case 'RunInterrupted': return this.#block(`*${say(this.#language, 'talk.interrupted')}*`);
      case 'RunLimitReached': return this.#block(`*${say(this.#language, 'talk.limit')}*`);
      default: return '';
    }
  }

  /** Stands where something could not be read. */
  gap(): string {
    return this.#block(`**${say(this.#language, 'export.gap')}**`);
  }

  #block(text: string): string {
    const lead = this.#last === 'list' ? '\n' : '';
    this.#last = 'text';
    return text.trim() === '' ? '' : `${lead}${text.trimEnd()}\n\n`;
  }

  #item(text: string): string {
    this.#last = 'list';
    return `- ${text.replace(/\s+/g, ' ')}\n`;
  }

  async #text(text: LongText): Promise<string> {
    if (!('blob' in text)) return text.text;
    const bytes = await this.#readBlob(text.blob);
    return bytes ? new TextDecoder().decode(bytes) : `${text.head}\n\n*${say(this.#language, 'export.noBlob')}*`;
  }
}

function changeWord({ reverts, before, after, added, removed }: Extract<PartnerEvent, { type: 'FileChanged' }>['data'] & object) {
  if (reverts) return reverts.undo ? 'export.undone' : 'export.reverted';
  if (before === null) return 'export.created';
  if (after === null) return 'export.removed';
  return added === undefined && removed === undefined ? 'export.changed' : 'export.edited';
}

function quoted(text: string): string {
  return text.split('\n').map((line) => `> ${line}`.trimEnd()).join('\n');
}

function italic(text: string): string {
  return text.split('\n').map((line) => (line.trim() ? `*${line.trim()}*` : '')).join('\n');
}

import type { Intent } from '#domain/local/intent.ts';
import { sayFailure } from '#domain/words/words.ts';
import { code, fence } from './markdown.ts';
import { examples, say } from './say.ts';
import { isRoots, LEFT_OUT, NOTHING, wholeOf } from './results.ts';
import { summariseFile, summariseFolder } from './summary.ts';
import type { Step } from './turn.ts';

/** What the assistant does next: one tool call, or its answer. */
export type Next =
  | { readonly kind: 'call'; readonly thought: string; readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: 'answer'; readonly text: string; readonly suggestions: readonly string[] };

type Lang = 'zh' | 'en';
const call = (tool: string, args: Readonly<Record<string, unknown>>, thought = ''): Next => ({ kind: 'call', thought, tool, args });
const answer = (text: string, suggestions: readonly string[] = []): Next => ({ kind: 'answer', text, suggestions });

/**
 * The next step for an intent, given what this turn has done already: a pure function, so the assistant
 * needs no memory of its own and a resumed run goes on from the log (design §6).
 */
export function nextStep(intent: Intent, steps: readonly Step[], language: Lang): Next {
  const failed = steps.findLast((s) => s.outcome !== 'ok');
  if (failed) return answer(failureText(failed, language), failed.code === 'gate.noAddress' ? [] : examplesAfter(language));
  const last = steps.at(-1);
  switch (intent.do) {
    case 'help': return answer(say(language, 'help'), examples(language));
    case 'unknown': return answer(say(language, 'unknown'), examples(language));
    case 'refuse': return answer(say(language, intent.why === 'permanent' ? 'refusePermanent' : intent.why === 'batch' ? 'refuseBatch' : 'refuseCommand'), examplesAfter(language));
    case 'list':
      if (!last) return call('list_files', intent.path ? { path: intent.path } : {});
      return answer(listText(last, intent.path, language), []);
    case 'find':
      return last ? answer(findText(last, intent.query, language), filesOf(last.text).slice(0, 3).map((f) => readWish(f, language))) : call('search_files', { query: intent.query });
    case 'search':
      return last ? answer(hitsText(last, intent.query, language), []) : call('search_text', { query: intent.query });
    case 'undo':
      return last ? answer(say(language, 'undone', { name: undoneText(last, language) }), []) : call('undo_changes', {});
    case 'summarise':
      if (intent.path === null) return last ? answer(summariseFolder(last, language) ?? listText(last, null, language), []) : call('list_files', { depth: 2 });
      return onFile(intent.path, steps, language, (path) => call('read_file', { path, from: 1 }), (done, path) => answer(summariseFile(done, path, language), []), (p) => summariseWish(p, language));
    case 'read':
      return onFile(intent.path, steps, language, (path) => call('read_file', { path, from: 1 }), (done, path) => answer(readText(done, path, language), []), (p) => readWish(p, language));
    case 'create':
      return last
        ? answer(say(language, 'created', { name: intent.path }), [])
        : call('create_file', { path: intent.path, content: intent.content === '' || intent.content.endsWith('\n') ? intent.content : intent.content + '\n' }, say(language, 'doing'));
    case 'createFolder':
      return last ? answer(say(language, 'createdFolder', { name: intent.path }), []) : call('create_folder', { path: intent.path }, say(language, 'doing'));
    case 'replace':
      return onFile(
        intent.path, steps, language,
        (path) => call('replace_all', { path, oldText: intent.from, newText: intent.to }),
        (done, path) => answer(say(language, 'replaced', { name: path, from: intent.from, to: intent.to, n: /(\d+) occurrences/.exec(done.text)?.[1] ?? '1' }), []),
        (p) => (language === 'zh' ? `把 ${p} 里的「${intent.from}」换成「${intent.to}」` : `Replace "${intent.from}" with "${intent.to}" in ${p}`),
      );
    case 'append': return appendStep(intent, steps, language);
    case 'rename':
      return onFile(intent.path, steps, language, (path) => call('rename_file', { path, name: intent.name }), (_, path) => answer(say(language, 'renamed', { name: path, to: intent.name }), []), (p) => (language === 'zh' ? `把 ${p} 重命名为 ${intent.name}` : `Rename ${p} to ${intent.name}`));
    case 'move':
      return onFile(intent.path, steps, language, (path) => call('move_file', { path, to: intoFolder(path, intent.to) }), (_, path) => answer(say(language, 'moved', { name: path, to: intent.to }), []), (p) => (language === 'zh' ? `把 ${p} 移动到 ${intent.to}` : `Move ${p} to ${intent.to}`));
    case 'copy':
      return onFile(intent.path, steps, language, (path) => call('copy_file', { path, to: intent.to }), (_, path) => answer(say(language, 'copied', { name: path, to: intent.to }), []), (p) => (language === 'zh' ? `把 ${p} 复制为 ${intent.to}` : `Copy ${p} to ${intent.to}`));
    case 'trash':
      return onFile(intent.path, steps, language, (path) => call('trash_file', { path }), (_, path) => answer(say(language, 'trashed', { name: path }), []), (p) => (language === 'zh' ? `删除 ${p}` : `Delete ${p}`));
  }
}

/** Finds the file a name means, then acts on it: a bare name is looked for, a written path is taken as it is. */
function onFile(name: string, steps: readonly Step[], language: Lang, act: (path: string) => Next, finish: (done: Step, path: string) => Next, wish: (path: string) => string): Next {
  const bare = !/[/\\]/.test(name);
  const [first, second] = steps;
  if (!first) return bare ? call('search_files', { query: name }, say(language, 'lookFor', { name })) : act(name);
  if (!bare) return finish(first, name);
  const files = filesOf(first.text);
  const same = files.filter((f) => fold(f.split('/').at(-1) ?? '') === fold(name));
  const stem = files.filter((f) => fold((f.split('/').at(-1) ?? '').replace(/\.[^.]+$/, '')) === fold(name));
  const matches = same.length > 0 ? same : stem;
  const [only] = matches;
  if (!only) return answer(say(language, 'foundNone', { name }), files.slice(0, 3).map(wish));
  if (matches.length > 1) return answer(`${say(language, 'which', { n: matches.length, name })}\n\n${bullets(matches.slice(0, 12))}`, matches.slice(0, 3).map((f) => wish(exact(f))));
  return second ? finish(steps.at(-1) ?? second, only) : act(only);
}

/** A path that is taken as it is: a bare name would be looked for, and asked about, again. */
function exact(path: string): string {
  return /[/\\]/.test(path) ? path : `./${path}`;
}

function appendStep(intent: Extract<Intent, { do: 'append' }>, steps: readonly Step[], language: Lang): Next {
  const wish = (p: string) => (language === 'zh' ? `在 ${p} 末尾追加 ${intent.text}` : `Append "${intent.text}" to ${p}`);
  const read = steps.find((s) => s.tool === 'read_file') ?? NOTHING;
  const wrote = steps.some((s) => s.tool === 'write_file');
  return onFile(
    intent.path, steps, language, (path) => call('read_file', { path, from: 1 }),
    (_, path) => {
      if (wrote) return answer(say(language, 'appended', { name: path }), []);
      const { note, body } = wholeOf(read);
      // Only what was read whole may be written back.
      if (/only the first|left out/.test(note)) return answer(sayFailure(language, { code: 'tool.tooLarge', params: { path } }).what, []);
      const lineEnd = body.includes('\r\n') ? '\r\n' : '\n';
      return call('write_file', { path, content: `${body}${body === '' || body.endsWith('\n') ? '' : lineEnd}${intent.text}${lineEnd}` });
    },
    wish,
  );
}

function failureText(step: Step, language: Lang): string {
  if (step.code === 'approval.guided') return say(language, 'guided');
  if (step.outcome === 'rejected') return say(language, 'rejected');
  if (step.outcome === 'cancelled') return say(language, 'cancelled');
  if (step.code === 'gate.noAddress') return say(language, 'noAddress');
  if (step.code === 'undo.none') return say(language, 'undoNone');
  const path = typeof step.args['path'] === 'string' ? step.args['path'] : '';
  const words = sayFailure(language, { code: step.code ?? 'internal', params: { path, name: path } });
  return [words.what, words.kept, words.next].filter(Boolean).map((t) => sentence(t, language)).join(language === 'zh' ? '' : ' ');
}

/** `search_files` numbers what it found: `1. docs/notes.md`. */
export function filesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => /^\d+\. (.+)$/.exec(line)?.[1] ?? []);
}

function listText(step: Step, path: string | null, language: Lang): string {
  // Dot names are the machinery of programs; who wants them asks for them by name.
  const lines = step.text.split('\n').filter((l) => l !== '' && !LEFT_OUT.test(l) && (!l.startsWith('.') || path?.startsWith('.') === true));
  if (step.text.startsWith('No work address')) return say(language, 'noAddress');
  if (lines.length === 0 || step.text === '(empty folder)') return say(language, 'empty');
  if (path === null && isRoots(lines)) return `${say(language, 'listedRoot')}\n\n${bullets(lines.map((l) => l.replace(/ {2}\((.*), \w+\)$/, ' — $1')))}`;
  const more = LEFT_OUT.exec(step.text)?.[1];
  return `${say(language, 'listed', { where: path ?? (language === 'zh' ? '工作地址' : 'The folder'), n: lines.length })}\n\n${bullets(lines)}${more ? `\n\n${say(language, 'more', { n: more })}` : ''}`;
}

function findText(step: Step, query: string, language: Lang): string {
  const files = filesOf(step.text);
  return files.length === 0 ? say(language, 'foundNone', { name: query }) : `${say(language, 'found', { n: files.length, name: query })}\n\n${bullets(files)}`;
}

function hitsText(step: Step, query: string, language: Lang): string {
  const lines = step.text.split('\n').filter((l) => /:\d+:/.test(l));
  const limits = /\n\[[^\n]*(?:only the first|above 2 MB|stopped at|may hold secrets)[^\n]*\]$/.test(step.text) ? `\n\n${say(language, 'partly')}` : '';
  if (lines.length === 0) return (limits === '' ? say(language, 'hitsNone', { name: query }) : say(language, 'hitsNoneSeen', { name: query })) + limits;
  return `${say(language, 'hits', { n: lines.length, name: query })}\n\n${lines.map((l) => l.replace(/^(.*?):(\d+):\s*(.*)$/, (_, f: string, n: string, t: string) => `- ${code(f)}:${n} ${code(t)}`)).join('\n')}${limits}`;
}

function readText(step: Step, path: string, language: Lang): string {
  const { note, body } = wholeOf(step);
  const shown = body.length > 6000 ? body.slice(0, 6000).toWellFormed() : body;
  const cut = shown.length < body.length || note.includes('only the first') ? `\n\n${say(language, 'cut')}` : '';
  return `${say(language, 'read', { name: path })}\n\n${fence(shown)}${cut}`;
}

/** `notes.md, b.md: conflict [change.stale]`, without the codes. */
function undoneText(step: Step, language: Lang): string {
  return (step.text.split('\n')[0] ?? '').replace(/: (?:conflict|failed) \[[^\]]*\]/g, say(language, 'leftAlone'));
}

function bullets(lines: readonly string[]): string {
  return lines.map((l) => `- ${code(l)}`).join('\n');
}

function intoFolder(path: string, to: string): string {
  const name = path.split('/').at(-1) ?? path;
  return /\.[A-Za-z0-9]{1,10}$/.test(to) ? to : `${to.replace(/\/+$/, '')}/${name}`;
}

function sentence(text: string, language: Lang): string {
  return /[.!?。！？…]$/.test(text) ? text : text + (language === 'zh' ? '。' : '.');
}

function readWish(path: string, language: Lang): string {
  return language === 'zh' ? `读取 ${path}` : `Read ${path}`;
}
function summariseWish(path: string, language: Lang): string {
  return language === 'zh' ? `总结 ${path}` : `Summarise ${path}`;
}
function examplesAfter(language: Lang): readonly string[] {
  return examples(language).slice(0, 1);
}
function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

import { code } from './markdown.ts';
import { isRoots, LEFT_OUT, wholeOf } from './results.ts';
import { say } from './say.ts';
import type { Step } from './turn.ts';

type Lang = 'zh' | 'en';

/** A summary without a model: size, headings, open to-dos, how it begins. */
export function summariseFile(read: Step, path: string, language: Lang): string {
  const { note, body } = wholeOf(read);
  const lines = body.split(/\r\n|\n/);
  const headings = lines.filter((l) => /^#{1,4}\s+\S/.test(l)).map((l) => l.replace(/^#+\s+/, '').trim()).slice(0, 12);
  const todos = lines.filter((l) => /\bTODO\b|^\s*[-*]\s+\[ \]|待办/.test(l)).map((l) => l.trim()).slice(0, 8);
  const opening = lines.find((l) => l.trim() !== '' && !/^[#>|`\-=*]/.test(l.trim()))?.trim() ?? '';
  const total = Number(/lines \d+–\d+ of (\d+)/.exec(note)?.[1] ?? 0);
  const out = [say(language, 'summary', { name: path, lines: total, chars: body.replace(/\s/g, '').length })];
  if (note.includes('only the first')) out.push(say(language, 'cut'));
  if (headings.length > 0) out.push(`**${say(language, 'headings')}**\n\n${headings.map((h) => `- ${code(h)}`).join('\n')}`);
  if (opening) out.push(`**${say(language, 'opening')}** ${code(opening.slice(0, 160).toWellFormed())}`);
  if (todos.length > 0) out.push(`**${say(language, 'todos')}**\n\n${todos.map((t) => `- ${code(t.slice(0, 120).toWellFormed())}`).join('\n')}`);
  return out.join('\n\n');
}

/** What a folder holds: counts and kinds of files, from its listing; null for a list of work addresses. */
export function summariseFolder(step: Step, language: Lang): string | null {
  const lines = step.text.split('\n').filter((l) => l !== '' && !LEFT_OUT.test(l) && l !== '(empty folder)' && !l.startsWith('.'));
  if (step.text.startsWith('No work address')) return say(language, 'noAddress');
  if (isRoots(lines)) return null;
  const folders = lines.filter((l) => l.endsWith('/')).length;
  const files = lines.filter((l) => !l.endsWith('/'));
  const kinds = new Map<string, number>();
  for (const f of files) {
    const kind = /\.([A-Za-z0-9]{1,10})$/.exec(f)?.[1]?.toLowerCase() ?? '—';
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const list = [...kinds].sort((a, b) => b[1] - a[1]).slice(0, 10).map(([kind, n]) => `- ${code(kind)} × ${n}`);
  const out = [say(language, 'folderSummary', { files: files.length, folders })];
  if (list.length > 0) out.push(`**${say(language, 'kinds')}**\n\n${list.join('\n')}`);
  return out.join('\n\n');
}

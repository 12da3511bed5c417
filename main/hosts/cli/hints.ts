/** What to do next at a command line, where the catalogue's words send people to buttons of the window. */
const HINTS: Readonly<Record<string, readonly [zh: string, en: string]>> = {
  'partner.unknown': ['用 curator partner list 看看有哪些。', 'See with: curator partner list'],
  'partner.ambiguous': ['改用编号：curator partner list', 'Use the id: curator partner list'],
  'address.unknown': ['用 curator address list 看看有哪些。', 'See with: curator address list'],
  'address.ambiguous': ['改用编号或路径：curator address list', 'Use the id or the path: curator address list'],
  'provider.unknown': ['用 curator provider list 看看有哪些。', 'See with: curator provider list'],
  'provider.ambiguous': ['改用编号：curator provider list', 'Use the id: curator provider list'],
  'model.missing': ['用 --model 选一个：curator provider list', 'Choose one with --model: curator provider list'],
  'revert.noRecord': ['用 curator changes PARTNER 看看有哪些。', 'See with: curator changes PARTNER'],
  'revert.noRun': ['用 curator changes PARTNER 看看有哪些。', 'See with: curator changes PARTNER'],
  'revert.already': ['要撤销回退，加上 --undo。', 'To undo the revert, add --undo.'],
  'approval.gone': ['用 curator show PARTNER 看看结果。', 'See with: curator show PARTNER'],
  'run.busy': ['等它做完，或用 curator stop PARTNER。', 'Wait for it, or: curator stop PARTNER'],
  'change.stale': ['看看那个文件；要盖过它，加上 --force（现在的内容会留存）。', 'Look at that file; to replace it, add --force (what is there now is kept).'],
  'rights.insideRun': ['请亲自在终端或窗口里操作。', 'Do it yourself, in a terminal or the window.'],
  'call.badInput': ['用 --help 看用法。', 'See the use with --help.'],
};

/** The next step for a failure's code; null when the catalogue's own words fit a command line too. */
export function hintOf(language: 'zh' | 'en', code: string): string | null {
  return HINTS[code]?.[language === 'zh' ? 0 : 1] ?? null;
}

import { fill } from '#domain/words/words.ts';

/** What the embedded assistant says, in both languages. Texts of the screen live in the catalogue; these are its own sentences. */
type Lang = 'zh' | 'en';
const TEXTS = {
  lookFor: ['先找到「{name}」。', 'First I’ll find “{name}”.'],
  doing: ['好的，我来处理。', 'On it.'],
  listed: ['{where}里有 {n} 项：', '{where} holds {n} {n:item|items}:'],
  more: ['另有 {n} 项没有列出。', '{n} more {n:item is|items are} not shown.'],
  listedRoot: ['现在的工作地址：', 'Your work addresses:'],
  empty: ['这里是空的。', 'It is empty.'],
  noAddress: ['还没有工作地址。先添加一个文件夹，我就能在里面干活了。', 'There is no work address yet. Add a folder and I can work in it.'],
  found: ['找到 {n} 个文件：', 'Found {n} {n:file|files}:'],
  foundNone: ['没有找到名字像「{name}」的文件。', 'No file is named like “{name}”.'],
  which: ['有 {n} 个「{name}」，要哪一个？', 'There are {n} files named “{name}”. Which one?'],
  hits: ['有 {n} 处提到「{name}」：', '“{name}” appears in {n} {n:place|places}:'],
  hitsNone: ['没有文件提到「{name}」。', 'No file mentions “{name}”.'],
  hitsNoneSeen: ['在看过的内容里没有提到「{name}」。', '“{name}” does not appear in what was searched.'],
  partly: ['没有全部看完：大文件只看开头 128 KB，超过 2 MB 的和可能含有密钥的不看，太多时会提前停下。', 'Not everything was searched: of large files only the first 128 KB, none above 2 MB, none that may hold secrets, and very many files stop it early.'],
  read: ['「{name}」的内容：', 'Contents of “{name}”:'],
  cut: ['（只显示前面一部分）', '(only the beginning is shown)'],
  replaced: ['已把「{name}」里的「{from}」换成「{to}」，共 {n} 处。', 'Replaced “{from}” with “{to}” in “{name}”, {n} in all.'],
  created: ['已新建「{name}」。', 'Created “{name}”.'],
  createdFolder: ['已新建文件夹「{name}」。', 'Created the folder “{name}”.'],
  appended: ['已写到「{name}」的末尾。', 'Added it at the end of “{name}”.'],
  renamed: ['已把「{name}」改名为「{to}」。', 'Renamed “{name}” to “{to}”.'],
  moved: ['已把「{name}」移到「{to}」。', 'Moved “{name}” to “{to}”.'],
  copied: ['已把「{name}」复制为「{to}」。', 'Copied “{name}” to “{to}”.'],
  trashed: ['已把「{name}」移到回收站，随时可以回退。', 'Moved “{name}” to the trash. You can take it back any time.'],
  undone: ['已回退上一次修改：{name}。', 'Took back the last change: {name}.'],
  leftAlone: ['（没有动，之后又改过）', ' (left alone, it changed since)'],
  undoNone: ['没有可以回退的修改。', 'There is no change to take back.'],
  rejected: ['好的，没有改动任何东西。', 'All right, nothing was changed.'],
  guided: ['收到。没有改动任何东西。请直接告诉我要怎么改，比如「把 notes.md 里的 A 换成 B」。', 'Understood, nothing was changed. Tell me the change in full, for example “replace A with B in notes.md”.'],
  cancelled: ['已停下，没有继续。', 'Stopped; nothing further was done.'],
  refusePermanent: ['我不会永久删除文件。可以移到回收站，之后还能拿回来。', 'I never delete files for good. I can move one to the trash, from where it can come back.'],
  refuseBatch: ['我不会一次删除很多文件。可以一个一个移到回收站。', 'I don’t delete many files at once. I can move single files to the trash.'],
  refuseCommand: ['内置助手不执行命令。可以换一个模型来做这件事。', 'The built-in assistant runs no commands. Another model can do that.'],
  help: [
    '我是内置的本地助手，不联网。可以看文件夹、找文件、读文件、搜内容、总结，也能新建、修改、改名、移动、复制文件，把文件移到回收站，以及撤销；改动前会先问你，之后都能回退。',
    'I’m the built-in local assistant; I work offline. I can list folders, find and read files, search and summarise, create, change, rename, move, copy and trash files, and undo. I ask before each change, and every change can be taken back.',
  ],
  unknown: ['这句话我没看懂，什么都没做。下面是我能做的：', 'I didn’t understand that, so nothing was done. Here is what I can do:'],
  summary: ['「{name}」：{lines} 行，约 {chars} 字。', '“{name}”: {lines} {lines:line|lines}, about {chars} {chars:character|characters}.'],
  headings: ['标题：', 'Headings:'],
  opening: ['开头：', 'It begins:'],
  todos: ['待办：', 'To do:'],
  folderSummary: ['这里有 {files} 个文件、{folders} 个文件夹。', 'It holds {files} {files:file|files} and {folders} {folders:folder|folders}.'],
  kinds: ['种类：', 'Kinds:'],
  done: ['完成了。', 'Done.'],
} as const satisfies Record<string, readonly [string, string]>;

export function say(language: Lang, key: keyof typeof TEXTS, params: Readonly<Record<string, string | number>> = {}): string {
  return fill(TEXTS[key][language === 'zh' ? 0 : 1], params);
}

/** Things it can do, as the buttons say them. */
export function examples(language: Lang, file = 'notes.md'): readonly string[] {
  return language === 'zh' ? ['列出文件', `读取 ${file}`, `把 ${file} 里的 TODO 换成 DONE`] : ['List files', `Read ${file}`, `Replace TODO with DONE in ${file}`];
}

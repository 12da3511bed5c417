import type { Intent } from './types.ts';

/** The sentences that the embedded assistant knows. A form fits a whole sentence or not at all. */
export interface Form {
  readonly pattern: RegExp;
  readonly make: (groups: readonly (string | undefined)[]) => Intent;
}

const QUOTES = '"\'“”‘’「」『』`《》';
const QUOTED = '[“"「『\'‘`《][^”"」』\'’`》]+[”"」』\'’`》]';
const PLAIN = '[^\\s，。！？,;；“”"\'「」]';
/** A quoted text whole, or a run without spaces or sentence marks; bounded, so that no message takes long to read. Each use is one capture group. */
const ARG = `(${QUOTED}|${PLAIN}{1,500}?)`;
/** A name with its whole extension (never `a.ts` out of `a.tsx`) or a slash, or a quoted one: what can be a file without guessing. */
const FILE = `(${QUOTED}|${PLAIN}{0,500}?\\.[A-Za-z0-9_]{1,10}(?![A-Za-z0-9_])|${PLAIN}{1,500}?[/\\\\]${PLAIN}{0,500}?)`;
/** Files that everybody calls by their name alone. */
const FAMOUS = '|readme|license|licence|changelog|contributing|authors|notice|makefile|dockerfile';
const READABLE = FILE.slice(0, -1) + FAMOUS + ')';
/** Text to put in: quoted, or everything to the end. */
const TEXT = `([“"「『'‘\`][\\s\\S]+[”"」』'’\`]|[\\s\\S]+?)`;
/** A folder by its own name; “this folder” and “all folders” name none. */
const FOLDER = `(?!这个|那个|当前|整个|所有|全部|每个|工作区|项目|文件夹|目录|(?:this|that|whole|entire|current|my|every|all|the)\\b)${ARG}`;
const HERE = '(?:在)?(?:这个|当前|整个)?(?:项目|工作区|文件夹|所有文件)(?:里面|里|中)?(?:的)?';

const form = (pattern: string, make: (first: string, second: string, third: string) => Intent): Form => ({
  pattern: new RegExp(`^(?:${pattern})$`, 'diu'),
  // A form with alternatives leaves the groups of the others out.
  make: (groups) => {
    const [a = '', b = '', c = ''] = groups.filter((g) => g !== undefined).map(unquote);
    return make(a, b, c);
  },
});
const refuse = (why: 'permanent' | 'batch' | 'command') => (): Intent => ({ do: 'refuse', why });
const replace = (path: string, from: string, to: string): Intent => ({ do: 'replace', path, from, to });
const search = (query: string): Intent => ({ do: 'search', query });
const find = (query: string): Intent => ({ do: 'find', query });
/** As a path, since a bare name is looked for among files. */
const trashFolder = (name: string): Intent => ({ do: 'trash', path: /[/\\]/.test(name) ? name : `./${name}` });
const list = (path: string | null): Intent => ({ do: 'list', path });

/** Tried in order; the first whole match wins. Refusals stand before everything they could be mistaken for. */
export const FORMS: readonly Form[] = [
  form('(?:把.*)?(?:永久|彻底)(?:地|性)?(?:删除|删掉|移除).*', refuse('permanent')),
  form('(?:permanently|irreversibly)\\s+(?:delete|remove|erase).*|(?:delete|remove|erase)\\s+.*\\s+(?:permanently|for good|forever)', refuse('permanent')),
  form('(?:删除|删掉|清空|移除|丢掉)(?:掉)?(?:所有|全部|一切|每个).*|(?:把)?(?:所有|全部)(?:的)?.*(?:文件|东西|目录|文件夹)(?:都|全)*(?:删除|删掉|删了|清空|移除)', refuse('batch')),
  form(`(?:删除|删掉|移除|丢掉)(?:掉)?${PLAIN}*(?:[*?]${PLAIN}*|(?:所有|全部)(?:的)?(?:文件|东西|内容|目录|文件夹))`, refuse('batch')),
  form('(?:delete|remove|trash|erase)\\s+(?:all|every|everything)\\b.*|(?:delete|remove|trash|erase)\\s+\\S*[*?]\\S*', refuse('batch')),
  form('(?:运行|执行)(?:一下)?(?:命令)?\\s*[a-z./].*|(?:run|execute)\\s+\\S.*', refuse('command')),

  form(`把${FILE}(?:文件)?(?:里面|里|中)?(?:的|所有的|全部的)?${ARG}(?:都|全部|全)?(?:替换|换|改|更换)(?:成|为|掉为)${ARG}`, replace),
  form(`(?:在|将)${FILE}(?:文件)?(?:里面|里|中)?(?:的)?(?:，|,)?(?:把|将)?${ARG}(?:都|全部)?(?:替换|换|改)(?:成|为)${ARG}`, replace),
  form(`(?:replace|change)\\s+(?:all\\s+|every\\s+)?${ARG}\\s+(?:with|by|to|into)\\s+${ARG}\\s+(?:in|inside)\\s+(?:the\\s+file\\s+)?${FILE}`, (from, to, path) => replace(path, from, to)),
  form(`in\\s+${FILE},?\\s+(?:replace|change)\\s+(?:all\\s+)?${ARG}\\s+(?:with|by|to|into)\\s+${ARG}`, replace),

  form(`(?:在|往|向)${FILE}(?:的)?(?:末尾|最后|里|中|后面)?(?:追加|添加|加上|加一行|写上)(?:一行)?(?:[:：]?\\s*)${TEXT}`, (path, text) => ({ do: 'append', path, text })),
  form(`(?:append|add)\\s+${TEXT}\\s+to\\s+(?:the\\s+end\\s+of\\s+)?${FILE}`, (text, path) => ({ do: 'append', path, text })),

  form(`(?:新建|创建|建立|建)(?:一个|个)?(?:文件夹|目录)\\s*${ARG}|(?:新建|创建|建立|建)(?:一个|个)?(?:名为|叫)?\\s*${ARG}(?:的)?(?:文件夹|目录)`, (path) => ({ do: 'createFolder', path })),
  form(`(?:create|make|add)\\s+(?:a\\s+|the\\s+)?(?:new\\s+)?(?:folder|directory)\\s+(?:called\\s+|named\\s+)?${ARG}`, (path) => ({ do: 'createFolder', path })),
  form(`(?:在(?:工作区|项目|文件夹)(?:里|中)?)?(?:新建|创建|建立|写)(?:一个|个)?(?:文件|名为|叫)*\\s*${FILE}(?:(?:，|,|\\s)*(?:内容(?:是|为)?|写上|写入)[:：]?\\s*${TEXT})?`, (path, content) => ({ do: 'create', path, content })),
  form(`(?:create|make|write|add)\\s+(?:a\\s+|the\\s+)?(?:new\\s+)?(?:file\\s+)?(?:called\\s+|named\\s+)?${FILE}(?:\\s+in\\s+the\\s+(?:project|workspace|folder))?(?:,?\\s+(?:with(?:\\s+the)?\\s+(?:content|text)|containing|that\\s+says)[:：]?\\s+${TEXT})?`, (path, content) => ({ do: 'create', path, content })),

  form(`把${FILE}改(?:为|成)${FILE}`, (path, name) => ({ do: 'rename', path, name })),
  form(`把${FILE}(?:重命名|改名)(?:为|成)${ARG}|(?:重命名|改名)${FILE}(?:为|成)${ARG}`, (path, name) => ({ do: 'rename', path, name })),
  form(`rename\\s+${FILE}\\s+(?:to|as|into)\\s+${ARG}`, (path, name) => ({ do: 'rename', path, name })),
  form(`把${FILE}(?:删除|删掉|删了|移到回收站|扔进回收站)`, (path) => ({ do: 'trash', path })),
  form(`move\\s+${FILE}\\s+to\\s+(?:the\\s+)?trash`, (path) => ({ do: 'trash', path })),
  form(`把${FILE}(?:移动|移|挪)(?:到|去|进)${ARG}(?:里|中|文件夹)?`, (path, to) => ({ do: 'move', path, to })),
  form(`move\\s+${FILE}\\s+(?:to|into)\\s+(?:the\\s+)?${ARG}(?:\\s+folder)?`, (path, to) => ({ do: 'move', path, to })),
  form(`把${FILE}复制(?:到|成|为)${ARG}|复制${FILE}(?:到|为)${ARG}`, (path, to) => ({ do: 'copy', path, to })),
  form(`(?:copy|duplicate)\\s+${FILE}\\s+(?:to|as)\\s+${ARG}`, (path, to) => ({ do: 'copy', path, to })),
  form(`(?:删除|删掉|移除|丢掉)\\s*${FOLDER}(?:这个)?(?:文件夹|目录)|把${FOLDER}(?:这个)?(?:文件夹|目录)(?:删除|删掉|删了|移到回收站)`, trashFolder),
  form(`(?:delete|remove|trash)\\s+(?:the\\s+)?(?:folder|directory)\\s+${FOLDER}|(?:delete|remove|trash)\\s+(?:the\\s+)?${FOLDER}\\s+(?:folder|directory)`, trashFolder),
  form(`(?:删除|删掉|移除|丢掉)(?:文件)?\\s*${FILE}`, (path) => ({ do: 'trash', path })),
  form(`(?:delete|remove|trash)\\s+(?:the\\s+)?(?:file\\s+)?${FILE}`, (path) => ({ do: 'trash', path })),

  form('(?:撤销|撤回|回退|还原|恢复)(?:一下)?(?:上次|刚才|刚刚|最近|上一次|最后一次|这次|它)?(?:的)?(?:修改|改动|更改|操作|变更)?(?:吧)?', () => ({ do: 'undo' })),
  form('(?:undo|revert|take\\s+(?:it|that)\\s+back)(?:\\s+(?:it|that|(?:the\\s+|my\\s+)?last\\s+(?:change|edit|one)))?', () => ({ do: 'undo' })),

  form('(?:总结|概括|归纳)(?:一下)?\\s*(?:这个|这些|全部|所有)?(?:文件夹|目录|项目|工作区|文件)?(?:的?(?:内容|作用))?', () => ({ do: 'summarise', path: null })),
  form(`(?:总结|概括|归纳)(?:一下)?\\s*${READABLE}(?:的?(?:内容|作用))?`, (path) => ({ do: 'summarise', path })),
  form('(?:summari[sz]e|sum\\s+up)(?:\\s+(?:this|the|these|all))?(?:\\s+(?:folder|project|workspace|files?|everything))?', () => ({ do: 'summarise', path: null })),
  form(`(?:summari[sz]e|sum\\s+up)\\s+(?:the\\s+file\\s+)?${READABLE}`, (path) => ({ do: 'summarise', path })),

  form(`(?:搜索|查找|找)(?:一下)?(?:文件)?(?:内容)?(?:里|中)?(?:包含|含有|提到|写着|出现)(?:了)?\\s*${ARG}(?:的)?(?:文件|内容|地方)?|(?:哪些|哪个|什么)文件(?:里|中)?(?:包含|含有|提到|写着|有)(?:了)?\\s*${ARG}`, search),
  form(`(?:${HERE})?(?:搜索|搜)(?:一下)?(?:${HERE})?(?:内容|文字|文本)?\\s*${ARG}`, search),
  form(`(?:search|grep)\\s+(?:(?:this|the)\\s+(?:project|workspace)\\s+|files?\\s+|everything\\s+|all\\s+files\\s+)?(?:for\\s+)?(?:the\\s+text\\s+|text\\s+)?${ARG}(?:\\s+in\\s+(?:all\\s+|the\\s+|this\\s+)?(?:files|project|workspace))?|look\\s+for\\s+${ARG}`, search),
  form(`(?:which|what)\\s+files?\\s+(?:contain|mention|say|have)s?\\s+${ARG}|find\\s+(?:files?\\s+(?:containing|with)|text)\\s+${ARG}(?:\\s+in\\s+(?:the|this)\\s+(?:project|workspace|folder))?`, search),
  form(`(?:查找|找|找一下|找找|寻找)(?:一下)?(?:名为|叫|名字含)?\\s*(?:文件)?\\s*${ARG}(?:文件)?(?:在哪(?:里|儿)?)?`, find),
  form(`(?:find|locate|where\\s+is)\\s+(?:the\\s+)?(?:files?\\s+)?(?:called\\s+|named\\s+)?${ARG}(?:\\s+file)?`, find),

  form(`(?:读取|读|看看|看|查看|显示|打开看看)(?:一下)?(?:文件)?\\s*${READABLE}(?:的?内容|文件)?`, (path) => ({ do: 'read', path })),
  form(`(?:read|show|view|print|cat)\\s+(?:me\\s+)?(?:the\\s+)?(?:file\\s+|content[s]?\\s+of\\s+)?${READABLE}`, (path) => ({ do: 'read', path })),

  form('(?:列出|列一下|看看|查看|显示|有哪些|有什么)(?:一下)?(?:这个|当前|所有|全部)?(?:的)?(?:文件夹|目录|工作区|项目|里)?(?:里|中|下)?(?:的|有)?(?:所有|全部|哪些|什么)?(?:文件|内容|东西)?(?:夹)?', () => list(null)),
  form('(?:这个|当前)?(?:文件夹|目录|工作区|项目|这)?(?:里|里面|中|下)?(?:有|都有)(?:哪些|什么)(?:文件|东西|内容)?', () => list(null)),
  form(`(?:列出|列一下)(?:一下)?\\s*${ARG}(?:里|中|下|文件夹|目录)?(?:里|中|下)?(?:的)?(?:所有|全部)?(?:文件|内容)?|(?:看看|查看|显示)(?:一下)?\\s*${ARG}(?:文件夹|目录)(?:里|中|下)?(?:的)?(?:所有|全部)?(?:文件|内容)?`, list),
  form("(?:list|show|ls)(?:\\s+(?:me|all|the|my))*(?:\\s+(?:files?|folders?|contents?|everything))?(?:\\s+(?:in|of)\\s+(?:this|the|my)\\s+(?:folder|directory|project|workspace))?|what(?:\\s+files)?(?:\\s+are|\\s+is|'s)?\\s+(?:in\\s+)?(?:here|there|this\\s+folder|the\\s+folder)", () => list(null)),
  form(`(?:list|ls)\\s+(?:the\\s+)?(?:files?\\s+|contents?\\s+)?(?:in\\s+|of\\s+)?(?:the\\s+)?${ARG}(?:\\s+folder)?`, list),

  form('(?:帮助|help|你会什么|你能做什么|能做什么|怎么用|what can you do|how do i use (?:this|you)|你好|您好|hi|hello|嗨)', () => ({ do: 'help' })),
];

function unquote(text: string): string {
  const t = text.trim();
  return t.length >= 2 && QUOTES.includes(t[0] ?? ' ') && QUOTES.includes(t.at(-1) ?? ' ') ? t.slice(1, -1) : t;
}

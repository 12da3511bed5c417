/**
 * What the embedded assistant understands, as a pure function of the text (WA-INTENT-*). It never
 * guesses towards an action: what does not fit a form whole is `unknown`, and the assistant offers the
 * nearest things it can do.
 */
export type Intent =
  | { readonly do: 'list'; readonly path: string | null }
  | { readonly do: 'find'; readonly query: string }
  | { readonly do: 'read'; readonly path: string }
  | { readonly do: 'search'; readonly query: string }
  | { readonly do: 'summarise'; readonly path: string | null }
  | { readonly do: 'create'; readonly path: string; readonly content: string }
  | { readonly do: 'createFolder'; readonly path: string }
  | { readonly do: 'replace'; readonly path: string; readonly from: string; readonly to: string }
  | { readonly do: 'append'; readonly path: string; readonly text: string }
  | { readonly do: 'rename'; readonly path: string; readonly name: string }
  | { readonly do: 'move'; readonly path: string; readonly to: string }
  | { readonly do: 'copy'; readonly path: string; readonly to: string }
  | { readonly do: 'trash'; readonly path: string }
  | { readonly do: 'undo' }
  | { readonly do: 'help' }
  | { readonly do: 'refuse'; readonly why: 'permanent' | 'batch' | 'command' }
  | { readonly do: 'unknown' };

const QUOTES = '"\'“”‘’「」『』`《》';
/** A quoted text whole, or a run without spaces or sentence marks. Each use is one capture group. */
const ARG = `([“"「『'‘\`《][^”"」』'’\`》]+[”"」』'’\`》]|[^\\s，。！？,;；“”"'「」]+?)`;
/** A name with an extension or a slash, or a quoted one: what can be a file without guessing. */
const FILE = `([“"「『'‘\`《][^”"」』'’\`》]+[”"」』'’\`》]|[^\\s，。！？,;；“”"'「」]*?\\.[A-Za-z0-9_]{1,10}|[^\\s，。！？,;；“”"'「」]+?[/\\\\][^\\s，。！？,;；“”"'「」]*?)`;
/** Text to put in: quoted, or everything to the end. */
const TEXT = `([“"「『'‘\`][\\s\\S]+[”"」』'’\`]|[\\s\\S]+?)`;

interface Form {
  readonly pattern: RegExp;
  readonly make: (groups: readonly string[]) => Intent;
}

const form = (pattern: string, make: Form['make']): Form => ({ pattern: new RegExp(`^(?:${pattern})$`, 'iu'), make });
const q = (groups: readonly string[], i: number) => unquote(groups[i] ?? '');

/** Tried in order; the first whole match wins. Refusals stand before everything they could be mistaken for. */
const FORMS: readonly Form[] = [
  form('(?:请|帮我)?(?:永久|彻底)(?:地)?(?:删除|删掉|移除).*', () => ({ do: 'refuse', why: 'permanent' })),
  form('(?:permanently|irreversibly)\\s+(?:delete|remove|erase).*|(?:delete|remove|erase)\\s+.*\\s+(?:permanently|for good|forever)', () => ({ do: 'refuse', why: 'permanent' })),
  form('(?:删除|删掉|清空|移除)(?:掉)?(?:所有|全部|一切|每个).*', () => ({ do: 'refuse', why: 'batch' })),
  form('(?:delete|remove|trash|erase)\\s+(?:all|every|everything).*', () => ({ do: 'refuse', why: 'batch' })),
  form('(?:运行|执行)(?:一下)?(?:命令)?\\s*[a-z./].*|(?:run|execute)\\s+\\S.*', () => ({ do: 'refuse', why: 'command' })),

  form(`把${FILE}(?:文件)?(?:里面|里|中)?(?:的|所有的|全部的)?${ARG}(?:都|全部|全)?(?:替换|换|改|改成|更换)(?:成|为|掉为)?${ARG}`, (g) => ({ do: 'replace', path: q(g, 0), from: q(g, 1), to: q(g, 2) })),
  form(`(?:在|将)${FILE}(?:文件)?(?:里面|里|中)?(?:的)?(?:，|,)?(?:把|将)?${ARG}(?:都|全部)?(?:替换|换|改)(?:成|为)${ARG}`, (g) => ({ do: 'replace', path: q(g, 0), from: q(g, 1), to: q(g, 2) })),
  form(`(?:replace|change)\\s+(?:all\\s+|every\\s+)?${ARG}\\s+(?:with|by|to|into)\\s+${ARG}\\s+(?:in|inside)\\s+(?:the\\s+file\\s+)?${ARG}`, (g) => ({ do: 'replace', path: q(g, 2), from: q(g, 0), to: q(g, 1) })),
  form(`in\\s+${ARG},?\\s+(?:replace|change)\\s+(?:all\\s+)?${ARG}\\s+(?:with|by|to|into)\\s+${ARG}`, (g) => ({ do: 'replace', path: q(g, 0), from: q(g, 1), to: q(g, 2) })),

  form(`(?:在|往|向)${FILE}(?:的)?(?:末尾|最后|里|中|后面)?(?:追加|添加|加上|加一行|写上)(?:一行)?(?:[:：]?\\s*)${TEXT}`, (g) => ({ do: 'append', path: q(g, 0), text: q(g, 1) })),
  form(`(?:append|add)\\s+${TEXT}\\s+to\\s+(?:the\\s+end\\s+of\\s+)?${FILE}`, (g) => ({ do: 'append', path: q(g, 1), text: q(g, 0) })),

  form(`(?:新建|创建|建立|建)(?:一个|个)?(?:文件夹|目录)\\s*${ARG}|(?:新建|创建|建立|建)(?:一个|个)?(?:名为|叫)?\\s*${ARG}(?:的)?(?:文件夹|目录)`, (g) => ({ do: 'createFolder', path: unquote(g[0] ?? g[1] ?? '') })),
  form(`(?:create|make|add)\\s+(?:a\\s+|the\\s+)?(?:new\\s+)?(?:folder|directory)\\s+(?:called\\s+|named\\s+)?${ARG}`, (g) => ({ do: 'createFolder', path: q(g, 0) })),
  form(`(?:在(?:工作区|项目|文件夹)(?:里|中)?)?(?:新建|创建|建立|写)(?:一个|个)?(?:文件|名为|叫)?\\s*${FILE}(?:(?:，|,|\\s)*(?:内容(?:是|为)?|写上|写入)[:：]?\\s*${TEXT})?`, (g) => ({ do: 'create', path: q(g, 0), content: q(g, 1) })),
  form(`(?:create|make|write|add)\\s+(?:a\\s+|the\\s+)?(?:new\\s+)?(?:file\\s+)?(?:called\\s+|named\\s+)?${FILE}(?:\\s+in\\s+the\\s+(?:project|workspace|folder))?(?:,?\\s+(?:with(?:\\s+the)?\\s+(?:content|text)|containing|that\\s+says)[:：]?\\s+${TEXT})?`, (g) => ({ do: 'create', path: q(g, 0), content: q(g, 1) })),

  form(`把${FILE}(?:重命名|改名)(?:为|成)${ARG}|(?:重命名|改名)${FILE}(?:为|成)${ARG}`, (g) => ({ do: 'rename', path: unquote(g[0] ?? g[2] ?? ''), name: unquote(g[1] ?? g[3] ?? '') })),
  form(`rename\\s+${ARG}\\s+(?:to|as|into)\\s+${ARG}`, (g) => ({ do: 'rename', path: q(g, 0), name: q(g, 1) })),
  form(`把${FILE}(?:移动|移|挪)(?:到|去|进)${ARG}(?:里|中|文件夹)?`, (g) => ({ do: 'move', path: q(g, 0), to: q(g, 1) })),
  form(`move\\s+${ARG}\\s+(?:to|into)\\s+(?:the\\s+)?${ARG}(?:\\s+folder)?`, (g) => ({ do: 'move', path: q(g, 0), to: q(g, 1) })),
  form(`把${FILE}复制(?:到|成|为)${ARG}|复制${FILE}(?:到|为)${ARG}`, (g) => ({ do: 'copy', path: unquote(g[0] ?? g[2] ?? ''), to: unquote(g[1] ?? g[3] ?? '') })),
  form(`(?:copy|duplicate)\\s+${ARG}\\s+(?:to|as)\\s+${ARG}`, (g) => ({ do: 'copy', path: q(g, 0), to: q(g, 1) })),
  form(`(?:删除|删掉|移除|丢掉)(?:文件)?\\s*${FILE}|把${FILE}(?:删除|删掉|删了|移到回收站|扔进回收站)`, (g) => ({ do: 'trash', path: unquote(g[0] ?? g[1] ?? '') })),
  form(`(?:delete|remove|trash)\\s+(?:the\\s+)?(?:file\\s+)?${FILE}|move\\s+${FILE}\\s+to\\s+(?:the\\s+)?trash`, (g) => ({ do: 'trash', path: unquote(g[0] ?? g[1] ?? '') })),

  form('(?:撤销|撤回|回退|还原|恢复)(?:一下)?(?:上次|刚才|刚刚|最近|上一次|这次|它)?(?:的)?(?:修改|改动|更改|操作|变更)?(?:吧)?', () => ({ do: 'undo' })),
  form('(?:undo|revert|take\\s+(?:it|that)\\s+back)(?:\\s+(?:it|that|the\\s+last\\s+(?:change|edit|one)|last\\s+(?:change|edit)))?', () => ({ do: 'undo' })),

  form(`(?:总结|概括|归纳)(?:一下)?\\s*(?:这个|这些|全部|所有)?(?:文件夹|目录|项目|工作区|文件)?(?:的?(?:内容|作用))?`, () => ({ do: 'summarise', path: null })),
  form(`(?:总结|概括|归纳)(?:一下)?\\s*${ARG}(?:的?(?:内容|作用))?`, (g) => ({ do: 'summarise', path: q(g, 0) })),
  form('(?:summari[sz]e|sum\\s+up)(?:\\s+(?:this|the|these|all))?(?:\\s+(?:folder|project|workspace|files?|everything))?', () => ({ do: 'summarise', path: null })),
  form(`(?:summari[sz]e|sum\\s+up)\\s+(?:the\\s+file\\s+)?${ARG}`, (g) => ({ do: 'summarise', path: q(g, 0) })),

  form(`(?:搜索|查找|找)(?:一下)?(?:文件)?(?:内容)?(?:里|中)?(?:包含|含有|提到|写着|出现)(?:了)?\\s*${ARG}(?:的)?(?:文件|内容|地方)?|(?:哪些|哪个|什么)文件(?:里|中)?(?:包含|含有|提到|写着|有)(?:了)?\\s*${ARG}`, (g) => ({ do: 'search', query: unquote(g[0] ?? g[1] ?? '') })),
  form(`(?:在(?:项目|工作区|文件夹|所有文件)(?:里|中)?)?(?:搜索|搜)(?:一下)?(?:内容|文字|文本)?\\s*${ARG}`, (g) => ({ do: 'search', query: q(g, 0) })),
  form(`(?:search|grep|look)\\s+(?:this\\s+project\\s+|the\\s+workspace\\s+|files?\\s+|everything\\s+|all\\s+files\\s+)?(?:for\\s+)?(?:the\\s+text\\s+|text\\s+)?${ARG}(?:\\s+in\\s+(?:all\\s+|the\\s+)?(?:files|project|workspace))?|(?:which|what)\\s+files?\\s+(?:contain|mention|say|have)s?\\s+${ARG}|find\\s+(?:files?\\s+(?:containing|with)|text)\\s+${ARG}`, (g) => ({ do: 'search', query: unquote(g[0] ?? g[1] ?? g[2] ?? '') })),
  form(`(?:查找|找|找一下|找找|寻找)(?:一下)?(?:名为|叫|名字含)?\\s*(?:文件)?\\s*${ARG}(?:文件)?(?:在哪(?:里|儿)?)?`, (g) => ({ do: 'find', query: q(g, 0) })),
  form(`(?:find|locate|where\\s+is)\\s+(?:the\\s+)?(?:files?\\s+)?(?:called\\s+|named\\s+)?${ARG}(?:\\s+file)?`, (g) => ({ do: 'find', query: q(g, 0) })),

  form(`(?:读取|读|看看|看|查看|显示|打开看看)(?:一下)?(?:文件)?\\s*${FILE}(?:的?内容|文件)?`, (g) => ({ do: 'read', path: q(g, 0) })),
  form(`(?:read|show|view|print|cat)\\s+(?:me\\s+)?(?:the\\s+)?(?:file\\s+|content[s]?\\s+of\\s+)?${FILE}`, (g) => ({ do: 'read', path: q(g, 0) })),

  form('(?:列出|列一下|看看|查看|显示|有哪些|有什么)(?:一下)?(?:这个|当前|所有|全部)?(?:的)?(?:文件夹|目录|工作区|项目|里)?(?:里|中|下)?(?:的|有)?(?:所有|全部|哪些|什么)?(?:文件|内容|东西)?(?:夹)?', () => ({ do: 'list', path: null })),
  form('(?:文件夹|目录|工作区|项目|这)?(?:里|里面|中|下)?(?:有|都有)(?:哪些|什么)(?:文件|东西|内容)?', () => ({ do: 'list', path: null })),
  form(`(?:列出|列一下|看看|查看|显示)(?:一下)?\\s*${ARG}(?:里|中|下|文件夹|目录)?(?:里|中|下)?(?:的)?(?:所有|全部)?(?:文件|内容)?`, (g) => ({ do: 'list', path: q(g, 0) })),
  form('(?:list|show|ls)(?:\\s+(?:me|all|the|my))*(?:\\s+(?:files?|folders?|contents?|everything))?(?:\\s+(?:in|of)\\s+(?:this|the|my)\\s+(?:folder|directory|project|workspace))?|what(?:\\s+files)?(?:\\s+are|\\s+is|\'s)?\\s+(?:in\\s+)?(?:here|there|this\\s+folder|the\\s+folder)', () => ({ do: 'list', path: null })),
  form(`(?:list|ls)\\s+(?:the\\s+)?(?:files?\\s+|contents?\\s+)?(?:in\\s+|of\\s+)?(?:the\\s+)?${ARG}(?:\\s+folder)?`, (g) => ({ do: 'list', path: q(g, 0) })),

  form('(?:帮助|help|你会什么|你能做什么|能做什么|怎么用|what can you do|how do i use (?:this|you)|你好|您好|hi|hello|嗨)', () => ({ do: 'help' })),
];

const POLITE_START = /^(?:请问|请你|请|麻烦你|麻烦|帮我|帮忙|能不能|可以|给我|please|could you|can you|would you|kindly|hey|now)(?:\s+|[，,]\s*)?/iu;
const POLITE_END = /(?:[，,]?\s*(?:谢谢(?:你|您)?|好吗|吗|吧|可以吗|please|thanks|thank you))?[。.!！?？~～\s]*$/iu;

const QUESTION = /怎么(?!用)|如何|为什么|为何|什么是|是什么意思|多少度|天气|^(?:how|why|when|who|what(?:'s| is| are| does))\b/iu;
const OWN_QUESTION = /^(?:what(?:'s| is| are| files).*(?:here|there|folder)|how do i use (?:this|you))/iu;

/** Spaces beside Chinese characters carry nothing (“把 notes.md 里的 TODO 换成 DONE”), but inside quotes every one counts. */
function joinHan(text: string): string {
  return text
    .split(/([“"「『‘`《][^”"」』’`》]*[”"」』’`》])/u)
    .map((part, i) => (i % 2 === 1 ? part : part.replace(/(?<=\p{Script=Han})\s+|\s+(?=\p{Script=Han})/gu, '')))
    .join('');
}

/** Reads one message. Full-width letters count as their plain forms; politeness at both ends is ignored. */
export function readIntent(message: string): Intent {
  let text = message.normalize('NFC').replace(/[\uff01-\uff5e]/g, (c) => (/[，。！？：；]/.test(c) ? c : String.fromCharCode(c.charCodeAt(0) - 0xfee0))).trim();
  // Two sentences or lines are two wishes; guessing which one counts is how wrong things get done.
  if (text.includes('\n')) return { do: 'unknown' };
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(POLITE_START, '').trim();
  }
  text = text.replace(POLITE_END, '').trim();
  if (text === '') return { do: 'help' };
  // A question about the world is not a wish about files.
  if (QUESTION.test(text) && !OWN_QUESTION.test(text)) return { do: 'unknown' };
  const joined = joinHan(text);
  for (const { pattern, make } of FORMS) {
    const m = pattern.exec(joined);
    if (m) return withSpaces(make(m.slice(1)), text);
  }
  return { do: 'unknown' };
}

/** Text that will be written keeps the spaces that {@link joinHan} took out. */
function withSpaces(intent: Intent, original: string): Intent {
  if (intent.do === 'create') return { ...intent, content: spaced(intent.content, original) };
  if (intent.do === 'append') return { ...intent, text: spaced(intent.text, original) };
  return intent;
}

function spaced(joined: string, original: string): string {
  const bare = joined.replace(/\s+/g, '');
  if (bare === '' || original.includes(joined)) return joined;
  const letters = [...original.matchAll(/\S/gu)];
  const at = letters.map((m) => m[0]).join('').lastIndexOf(bare);
  const first = letters.findIndex((_, i) => letters.slice(0, i).join('').length === at);
  const last = letters.findIndex((_, i) => letters.slice(0, i + 1).join('').length === at + bare.length);
  if (at < 0 || first < 0 || last < 0) return joined;
  return original.slice(letters[first]!.index, letters[last]!.index + letters[last]![0].length);
}

function unquote(text: string): string {
  const t = text.trim();
  return t.length >= 2 && QUOTES.includes(t[0] ?? ' ') && QUOTES.includes(t.at(-1) ?? ' ') ? t.slice(1, -1) : t;
}

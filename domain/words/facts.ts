import type { Pair } from './pair.ts';

/** Warnings on a card, and what opening or checking a log found. */
export const facts = {
  'warn.trash': ['移到系统回收站，可以恢复', 'Goes to the system trash and can be restored'],
  'warn.onlyInTrash': ['太大，没有另外留存内容；只能从系统回收站恢复', 'Too large to keep a copy: only the system trash can bring it back'],
  'warn.move': ['文件会离开原来的位置', 'The file leaves its place'],
  'warn.folder': ['整个文件夹，共 {files} 个文件、{folders} 个子文件夹', 'A whole folder: {files} {files:file|files}, {folders} {folders:folder|folders}'],
  'warn.outside': ['在所有工作地址之外', 'Outside every work address'],
  'warn.overwrite': ['会替换已有的文件；原来的内容已留存', 'Replaces a file that exists; its content is kept'],
  'warn.large': ['文件较大（{size}）', 'A large file ({size})'],
  'warn.lineEnds': ['换行符会保持 {kind}', 'Line ends stay {kind}'],
  'warn.encoding': ['编码会保持 {encoding}', 'The encoding stays {encoding}'],
  'warn.sensitive': ['可能含有密钥或个人信息', 'May contain keys or personal data'],
  'warn.link': ['这是一个链接，实际位置是 {path}', 'This is a link; it really is {path}'],
  'warn.other': ['请留意这一步', 'Look closely at this step'],

  'finding.tornTail': ['上次没写完的最后一条记录已放到一边，之前的都完好。', 'The last record was cut off while being written and was set aside. Everything before it is sound.'],
  'finding.damage': ['有一段记录损坏。完好的部分照常可读；为了不让损坏扩大，这位伙伴暂时只读。', 'Part of the records is damaged. The sound part can be read; the partner is read only so that the damage cannot spread.'],
  'finding.missingEnd': ['末尾缺了一段记录。现有的都可读；这位伙伴暂时只读。', 'Records are missing at the end. What is there can be read; the partner is read only.'],
  'finding.unknownEvents': ['有些记录是更新的版本写的。内容原样保留，更新馆长后再继续。', 'Some records were written by a newer version. They are kept as they are; update Curator to go on.'],
  'finding.writeFailed': ['记录写不进磁盘。之前的都已存好；腾出空间或检查磁盘后再继续。', 'Records cannot be written to disk. Everything before is stored; free some space or check the disk to go on.'],
  'finding.unsettledChanges': ['有 {n} 处改动在中断时没有定论，请在“修改的文件”里核实。', '{n} {n:change was|changes were} left open by a crash. Check {n:it|them} under “Modified files”.'],
  'finding.title': ['“{name}”的记录有问题', 'The records of “{name}” have a problem'],

  'problem.damage': ['记录损坏', 'Damaged records'],
  'problem.tornTail': ['最后一条没写完', 'Last record cut off'],
  'problem.missingEnd': ['末尾缺失', 'End missing'],
  'problem.blobMissing': ['缺少留存的内容', 'A kept content is missing'],
  'problem.blobDamaged': ['留存的内容损坏', 'A kept content is damaged'],
  'problem.chain': ['记录链断开', 'The chain of records is broken'],
  'problem.other': ['需要检查', 'Needs a look'],
} as const satisfies Readonly<Record<string, Pair>>;

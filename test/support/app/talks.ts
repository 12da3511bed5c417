import type { ConversationPage, DiffView, LiveDraft } from '#main/api/views.ts';
import type { TurnView } from '#projections/conversation/views.ts';
import { id, plan, record, step, turn, type Tongue } from './data.ts';

const ANSWER = {
  zh: '比好了。三项里有**两项差价超过 5%**，都已在 [比价表-二季度.csv](/home/lin/文档/报价/比价表-二季度.csv) 里标出；税率按 13% 统一，北方的报价单原本就含税。\n\n| 品名 | 华东 | 华南 | 北方 | 最大差价 | 结论 |\n|---|--:|--:|--:|--:|---|\n| 控制板 CB-210 | 128.40 | 121.90 | 133.00 | 9.1% | 复核 |\n| 电源模块 PM-65 | 46.80 | 47.20 | 46.50 | 1.5% | 持平 |\n| 铝壳 AL-3 | 18.20 | 17.10 | 18.00 | 6.4% | 复核 |\n\n标记用的是这一条，放在 F 列：\n\n```excel\n=IF((MAX(B2:D2)-MIN(B2:D2))/MIN(B2:D2) > 5%, "复核", "")\n```\n\n- [x] 统一税率\n- [ ] 请华南按 100 片重新报价\n\n图表在这里：![走势](https://charts.example.com/q2.png)，公式是 $E=mc^2$，参考 [行情](https://example.com/al)。',
  en: 'Done. **Two of three items differ by more than 5%**; both are marked in [comparison-Q2.csv](/home/lin/quotes/comparison-Q2.csv). Everything is at 13% tax — the northern quote already included it.\n\n| Item | East | South | North | Widest gap | Verdict |\n|---|--:|--:|--:|--:|---|\n| Control board CB-210 | 128.40 | 121.90 | 133.00 | 9.1% | Check |\n| Power module PM-65 | 46.80 | 47.20 | 46.50 | 1.5% | Level |\n| Aluminium case AL-3 | 18.20 | 17.10 | 18.00 | 6.4% | Check |\n\nThis is the rule behind the flag, in column F:\n\n```excel\n=IF((MAX(B2:D2)-MIN(B2:D2))/MIN(B2:D2) > 5%, "check", "")\n```\n\n- [x] One tax rate\n- [ ] Ask South to quote for 100\n\nThe chart: ![trend](https://charts.example.com/q2.png), the formula $E=mc^2$, see [spot prices](https://example.com/al).',
};
const DRAFT = { zh: '控制板的差价主要来自**最小起订量**：华南按 500 片报价，另外两家按 100 片。铝壳则是北方含了', en: 'The control-board gap is mostly **minimum order quantity**: South quotes for 500, the other two for 100. For the case, North includes' };

/** The scripted conversation of a partner. */
export function talk(partner: string, lang: Tongue): { page: ConversationPage; drafts: LiveDraft[]; all: TurnView[] } {
  const zh = lang === 'zh';
  const q = zh ? '/home/lin/文档/报价/' : '/home/lin/文档/报价/';
  const main = turn(101, 1600, zh ? '把这三家对一下，做一张比价表，差价超过 5% 的标出来。' : 'Compare these three, build one price table and flag every gap above 5%.', {
    message: { text: zh ? '把这三家对一下，做一张比价表，差价超过 5% 的标出来。' : 'Compare these three, build one price table and flag every gap above 5%.', more: null, erased: false, attachments: [{ path: q + 'a.xlsx', name: zh ? '华东报价.xlsx' : 'east-quote.xlsx', size: 84_000 }, { path: q + 'b.pdf', name: zh ? '北方报价单-2026-03-11-含税-最终版.pdf' : 'north-quote-2026-03-11-gross-final.pdf', size: 2_100_000 }] },
    process: [
      { kind: 'thought', id: 't1', text: zh ? '三份报价口径不同：两份未税、一份含税。先统一成含税单价，再逐项比较，最后核对运费是否计入，免得把运费差当成料价差。这一步要先看三份文件的表头和备注。' : 'The quotes differ: two exclude tax, one includes it. I’ll bring them to tax-inclusive unit prices first, then check whether freight is counted so a freight gap isn’t taken for a material one.' },
      { kind: 'activity', id: 'a1', steps: [step(1, 'tool.read', { name: '华东报价.xlsx' }), step(2, 'tool.read', { name: '华南报价.xlsx' }), step(3, 'tool.read', { name: '北方报价单.pdf' }), step(4, 'tool.search', { query: '含税' }), step(5, 'tool.create', { name: '比价说明.md' }, { decision: { decision: 'approve', guidance: null } }), step(6, 'tool.trash', { name: '旧表.csv' }, { state: 'rejected', decision: { decision: 'guide', guidance: zh ? '先留着' : 'keep it for now' } }), step(7, 'tool.edit', { name: 'x.env' }, { state: 'refused', code: 'gate.readOnly' })] },
    ],
    answer: { text: ANSWER[lang], more: null, suggestions: [] },
    records: [
      record(1, 'run_101', q + (zh ? '比价表-二季度.csv' : 'comparison-Q2.csv'), { op: 'created', added: 48, removed: 0, before: null }),
      record(2, 'run_101', q + (zh ? '比价说明.md' : 'comparison-notes.md')),
      record(3, 'run_101', q + (zh ? '华东/含税单价.csv' : 'east/unit-price-incl-tax.csv'), { added: 12, removed: 12, state: 'reverted' }),
      record(4, 'run_101', q + (zh ? '归档/北方报价单.pdf' : 'archive/north-quote.pdf'), { added: null, removed: null }),
      record(5, 'run_101', q + 'a-very-long-file-name-without-any-spaces-'.repeat(4) + '.md', { added: 1024, removed: 2048 }),
    ],
  });
  const turns: Record<string, TurnView[]> = {
    partner_1: [main, turn(102, 5, zh ? '再发一次' : 'Once more', { status: 'failed', failure: { code: 'model.unreachable', status: 503, detail: 'APIConnectionError: connect ECONNREFUSED 203.0.113.9:443\n    request id 8f3c' }, process: [{ kind: 'retry', id: 'r', attempt: 5, of: 5, state: 'exhausted', code: 'model.unreachable' }] })],
    partner_2: [main, turn(103, 3, zh ? '差价超过 5% 的再给我一句话说明，放进 比价说明.md' : 'Give me one line on each gap over 5%, and put it into comparison-notes.md', {
      process: [{ kind: 'thought', id: 't2', text: zh ? '先看两项差价分别来自运费还是料价，再写说明。' : 'First see whether each gap comes from freight or material, then write it up.' }, { kind: 'activity', id: 'a2', steps: [step(8, 'tool.search', { query: '起订量' }), step(9, 'tool.search', { query: '阳极氧化' }), step(10, 'tool.read', { name: '比价说明.md' })] }],
      answer: { text: zh ? '两项都写进去了：控制板差在**最小起订量**，铝壳差在北方含了阳极氧化。' : 'Both are in: the control board differs by **minimum order quantity**, the case because North includes anodising.', more: null, suggestions: zh ? ['请华南按 100 片重新报价', '把说明翻成英文', '做一页给评审会的摘要'] : ['Ask South to quote for 100', 'Translate the notes into Chinese', 'Make a one-page summary for the review'] },
      records: [record(6, 'run_103', q + (zh ? '比价说明.md' : 'comparison-notes.md'), { added: 6, removed: 3 })],
    })],
    partner_3: [turn(104, 1650, zh ? '合同里还有哪几份没盖章？' : 'Which contracts are still unsigned?', { answer: { text: zh ? '还有两份没盖章：[2026-采购合同.md](/home/lin/文档/合同/起草中/2026-采购合同.md) 仍在起草，运输补充协议等对方回签。' : 'Two are unsigned: [2026-purchase-contract.md](/home/lin/文档/合同/drafts/2026.md) is still a draft, and the freight addendum waits for their signature.', more: null, suggestions: [] } }), turn(105, 70, zh ? '把合同按供应商归档，采购合同里的交货期改成 30 天。' : 'File the contracts by supplier, and change delivery to 30 days in the purchase contract.', {
      status: 'waiting', endedAt: null,
      process: [{ kind: 'thought', id: 't3', text: zh ? '方案定了：改 1 份、移动 6 份、删除 1 份重复的草稿。' : 'Plan: change one, move six, trash one duplicate draft.' }, { kind: 'activity', id: 'a3', steps: [step(11, 'tool.edit', { name: 'x' }, { state: 'waiting' })] }],
      waiting: { batch: id<never>('batch', 1), plans: [plan(1, 'edit', zh ? '/home/lin/文档/合同/起草中/2026-采购合同.md' : '/home/lin/文档/合同/drafts/2026-purchase-contract.md'), plan(2, 'move', '/home/lin/文档/合同/扫描件', { kind: 'folder', to: '/home/lin/文档/合同/供应商/华东/扫描件', before: null, after: null, added: undefined as never, removed: undefined as never, risk: 'high', strong: true, warnings: [{ key: 'warn.folder', params: { files: 42, folders: 3 } }] }), plan(3, 'trash', '/home/lin/文档/合同/草稿-副本.md', { strong: true, risk: 'high', after: null, removed: 30, added: 0, warnings: [{ key: 'warn.trash', params: {} }] })] },
    })],
    partner_4: [main, turn(106, 1, zh ? '找一下包含 FileOperationManager 的文件，按时间排' : 'Find files containing FileOperationManager, by time', { status: 'running', endedAt: null, process: [{ kind: 'activity', id: 'a4', steps: [step(12, 'tool.search', { query: 'FileOperationManager' }), step(13, 'tool.search', { query: 'FileOps' })] }] })],
    partner_5: [turn(107, 1500, zh ? '三月的发票和流水对一遍' : 'Match March invoices', { status: 'stopped', draft: DRAFT[lang] }), turn(108, 1490, zh ? '继续' : 'Go on', { status: 'limit' }), turn(109, 1480, zh ? '继续' : 'Go on', { status: 'interrupted' })],
    partner_6: [],
    partner_7: [turn(110, 9000, 'https://example.org/' + 'a/very/long/path/'.repeat(20), { process: [{ kind: 'thought', id: 't9', text: 'https://example.org/'.repeat(12) }], answer: { text: 'Quarterly_reconciliation_of_supplier_'.repeat(10) + '\n\n`' + 'x'.repeat(300) + '`', more: null, suggestions: [] }, records: [record(9, 'run_110', '/home/lin/文档/合同/' + 'folder_without_end_'.repeat(8) + '/' + 'name_without_end_'.repeat(8) + '.md', { added: 1024, removed: 2048 })] })],
    partner_8: [turn(111, 12000, 'راجع الفاتورة رقم ٤٢ من فضلك', { answer: { text: 'تمت مراجعة **الفاتورة رقم ٤٢** ومطابقتها مع `invoice-42.pdf`.', more: null, suggestions: [] } })],
    partner_9: Array.from({ length: 3000 }, (_, i) => turn(1000 + i, 30000 - i * 9, `👍🏽 第 ${i + 1} 条`, { answer: { text: `第 **${i + 1}** 条答复。\n\n` + '内容，'.repeat((i * 7) % 60), more: null, suggestions: [] } })),
  };
  const all = turns[partner] ?? [];
  const drafts: LiveDraft[] = partner === 'partner_4' ? [{ run: id<never>('run', 106), call: 1, offset: 0, text: DRAFT[lang], thinking: false }] : [];
  return { page: { turns: all.slice(-30), older: all.length > 30 }, drafts, all };
}

/** A diff of about fifty lines with several hunks, or a very long one. */
export function diff(big: boolean, lang: Tongue): DiffView {
  const zh = lang === 'zh';
  const count = big ? 50_000 : 60;
  const oldText = Array.from({ length: count }, (_, i) => (i % 12 === 0 ? `## ${zh ? '小节' : 'Section'} ${i / 12 + 1}` : i % 5 === 0 ? '' : zh ? `第 ${i + 1} 行：三家报价均按未税单价比较，运费另计，第 ${i} 项。` : `Line ${i + 1}: all three are compared at net unit price, freight not included, item ${i}.`));
  const newText = [...oldText];
  newText[13] = zh ? '第 14 行：三家报价均按含税单价（13%）比较，运费另计，第 13 项。' : 'Line 14: all three are compared at gross unit price (13%), freight not included, item 13.';
  newText[14] = zh ? '第 15 行：三家报价均按未税单价比较，运费按到厂计入，第 14 项。' : 'Line 15: all three are compared at net unit price, freight counted to our door, item 14.';
  newText.splice(40, 0, zh ? '- 控制板 CB-210：差价 9.1%。华南按 500 片起订，其余按 100 片；这一行特意写得很长，用来看横向滚动时底色是不是铺满整行，不留白边。' : '- Control board CB-210: gap 9.1%. South quotes for 500, others for 100; this line is long on purpose to see that row grounds span the scroll width.', zh ? '- 铝壳 AL-3：差价 6.4%。' : '- Aluminium case AL-3: gap 6.4%.');
  return { kind: 'text', added: 4, removed: 2, oldLines: oldText.length, newLines: newText.length, hunks: [{ oldFrom: 13, oldTo: 15, newFrom: 13, newTo: 15 }, { oldFrom: 40, oldTo: 40, newFrom: 40, newTo: 42 }], oldText, newText, encoding: 'utf-8', lineEnd: 'lf', bom: false, oldEndsWithNewline: true, newEndsWithNewline: true, coarse: false };
}

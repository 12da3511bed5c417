import type { Face, Plan } from '#domain/events/index.ts';
import type { AppView, PartnerSummary } from '#main/api/views.ts';
import type { ChangeRecord, ProcessEntry, TurnView } from '#projections/conversation/views.ts';

/** Scripted data for developing and for pictures. Ids only look like ids; nothing here reaches a real host. */
export const T = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString();
export const id = <K>(kind: string, n: number | string) => `${kind}_${String(n)}` as K;
export type Tongue = 'zh' | 'en';

export function app(lang: Tongue, theme: 'light' | 'dark', rich: boolean): AppView {
  const zh = lang === 'zh';
  const address = (n: number, name: string, root: string, policy: 'readOnly' | 'confirm' | 'direct', reachable = true) => ({ id: id<never>('address', n), name, root, policy, sample: n === 9, reachable });
  return {
    version: '0.1.0', host: 'web', platform: 'linux', language: lang, theme, secrets: 'file', dataDir: '/home/lin/.local/share/curator', home: '/home/lin', findings: [], kept: [], sampleOffered: !rich,
    defaultModel: { provider: 'local' as never, model: 'local' },
    providers: rich
      ? [
          { id: 'p1' as never, name: 'DeepSeek', baseUrl: 'https://api.deepseek.com/v1', models: ['deepseek-v4.1-flash', 'deepseek-v4.1-pro'], hasKey: true },
          { id: 'p2' as never, name: zh ? '公司内网网关' : 'Office gateway', baseUrl: 'https://llm.corp.example.internal:8443/openai/compatible/v1', models: ['qingluan-2', 'a-model-with-a-very-very-long-name-that-does-not-stop-2026-03-instruct'], hasKey: false },
        ]
      : [],
    addresses: rich
      ? [
          address(1, zh ? '合同' : 'contracts', '/home/lin/文档/合同', 'confirm'),
          address(2, zh ? '报价' : 'quotes', '/home/lin/文档/报价', 'direct'),
          address(3, zh ? '图片' : 'Pictures', '/home/lin/Pictures', 'readOnly'),
          address(4, zh ? '移动硬盘归档' : 'archive disk', '/media/lin/归档', 'confirm', false),
        ]
      : [],
  };
}

export function partners(lang: Tongue): PartnerSummary[] {
  const zh = lang === 'zh';
  const p = (n: number, name: string, shape: Face['shape'], colour: Face['colour'], min: number, lastMessage: string | null, more: Partial<PartnerSummary> = {}): PartnerSummary => ({
    id: id<never>('partner', n), name, face: { shape, colour }, pinned: false, lastMessage, lastAt: T(min), activity: 'idle', permission: 'review', model: { provider: 'p1' as never, model: 'deepseek-v4.1-flash' }, health: 'well', findings: [], ...more,
  });
  return [
    p(1, zh ? '周报' : 'Weekly report', 'capsule', 'indigo', 2 * 1440, zh ? '把这周的会议纪要汇成一页' : 'Boil this week’s minutes down to a page', { pinned: true }),
    p(2, zh ? '小满' : 'Maple', 'cloud', 'celadon', 3, zh ? '差价超过 5% 的再给我一句话说明' : 'Give me a line on each gap over 5%'),
    p(3, zh ? '合同管家' : 'Contracts', 'square', 'persimmon', 70, zh ? '按供应商归档，交货期改成 30 天' : 'File by supplier; make delivery 30 days', { activity: 'waiting' }),
    p(4, zh ? '研发资料' : 'Research notes', 'hexagon', 'bamboo', 300, zh ? '找一下包含 FileOperationManager 的文件' : 'Find files containing FileOperationManager', { activity: 'running' }),
    p(5, zh ? '阿账' : 'Ledger', 'drop', 'apricot', 1500, zh ? '三月的发票和流水对一遍' : 'Match March invoices to the bank feed', { permission: 'full', model: { provider: 'local' as never, model: 'local' } }),
    p(6, zh ? '图库' : 'Photo desk', 'circle', 'blossom', 6 * 1440, null),
    p(7, 'Quarterly_reconciliation_of_supplier_framework_agreements_and_all_of_their_amendments_since_2019_final_final_v7_really_the_last_one_'.repeat(2).slice(0, 200), 'hexagon', 'lake', 9000, 'https://example.org/a/very/long/path/without/any/spaces/that/keeps/going/and/going'),
    p(8, 'مساعد العقود والفواتير الشهرية', 'drop', 'wisteria', 12000, 'راجع الفاتورة رقم ٤٢ من فضلك', { health: 'readOnly', findings: [{ code: 'damage', params: {} }] }),
    p(9, '📎🧾 财务二组・北京 👩🏻‍💼', 'circle', 'mustard', 20000, '👍🏽👍🏽👍🏽 好的'),
  ];
}

export function record(n: number, run: string, path: string, more: Partial<ChangeRecord> = {}): ChangeRecord {
  const state = (h: string) => ({ kind: 'file' as const, hash: h.padEnd(64, '0') as never, size: 2048, mode: 0o644, blob: true });
  return {
    record: id<never>('change', n), run: run as never, op: 'changed', kind: 'file', from: path, path, before: state('a' + n), after: state('b' + n), added: 23, removed: 6,
    state: 'live', kept: [], trashed: null, steps: [{ change: id<never>('change', n), op: 'edit', path, to: null, before: state('a' + n), after: state('b' + n), trashed: null }], reverts: [], ...more,
  };
}

export function step(n: number, key: string, params: Record<string, string | number>, more: Partial<Extract<ProcessEntry, { kind: 'activity' }>['steps'][number]> = {}) {
  return { call: id<never>('call', n), shown: { key, params }, state: 'ok' as const, code: null, decision: null, ...more };
}

export function turn(n: number, min: number, text: string, more: Partial<TurnView> = {}): TurnView {
  return {
    run: id<never>('run', n), origin: id<never>('origin', 1), seq: n * 10, lamport: n * 10, at: T(min), message: { text, more: null, attachments: [], erased: false },
    model: { provider: 'p1' as never, model: 'deepseek-v4.1-flash' }, permission: 'review', status: 'completed', process: [], answer: null, draft: '', waiting: null, records: [], failure: null,
    usage: { prompt: 0, completion: 0 }, endedAt: T(min - 1), ...more,
  };
}

export function plan(n: number, op: Plan['op'], path: string, more: Partial<Plan> = {}): Plan {
  const state = (h: string) => ({ kind: 'file' as const, hash: h.padEnd(64, '0') as never, size: 2048, mode: 0o644, blob: true });
  return { call: id<never>('call', `plan${n}`), op, path, kind: 'file', address: id<never>('address', 1), before: state('c' + n), after: state('d' + n), added: 2, removed: 2, risk: 'medium', strong: false, warnings: [], shown: { key: `tool.${op}`, params: { name: path.split('/').at(-1) ?? '' } }, ...more };
}

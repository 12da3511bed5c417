import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { draft, partnerEvents, type EventDraft } from '../../domain/events/index.ts';
import type { RunId } from '../../domain/ids.ts';
import { createNodeFs } from '../../main/fs/node-fs.ts';
import { openEventLog } from '../../main/log/open.ts';
import type { EventLog } from '../../main/log/types.ts';
import { newId } from '../../main/ports/random.ts';
import { realClock, realRandom } from '../../main/ports/real.ts';
import { WORK } from './harness.ts';

/** A seeded generator: the same data in every run. */
export function seeded(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const EN = 'the partner reads file and writes report before asking for approval because budget table needs check session plan revert change snapshot'.split(' ');
const ZH = '伙伴 读取 文件 修改 报告 审批 撤销 快照 会话 消息 工作区 预算 表格 客户 发票 季度 总结'.split(' ');
export function prose(random: () => number, chars: number): string {
  let text = '';
  while (text.length < chars) text += random() < 0.35 ? ZH[(random() * ZH.length) | 0] : EN[(random() * EN.length) | 0] + ' ';
  return text;
}

/** Histories as the product writes them: a third Chinese, about half a kilobyte an event. */
export function* turns(seed: number): Generator<readonly EventDraft[]> {
  const random = seeded(seed);
  const hash = () => Array.from({ length: 64 }, () => '0123456789abcdef'[(random() * 16) | 0]).join('') as never;
  for (;;) {
    const run = newId(realRandom, 'run') as RunId;
    const by = { actor: 'host' as const, run };
    const events: EventDraft[] = [
      draft(partnerEvents.MessageSent, { text: { text: prose(random, 40 + random() * 200) }, attachments: [], channel: 'web' }, { actor: 'person', run }),
      draft(partnerEvents.RunStarted, { model: { provider: 'local' as never, model: 'local' }, permission: 'review', language: 'zh', addresses: [] }, by),
    ];
    for (let call = 1; call <= 2; call++) {
      const id = newId(realRandom, 'call');
      events.push(draft(partnerEvents.ThoughtRecorded, { call, text: { text: prose(random, 80) } }, { actor: 'partner', run }));
      events.push(draft(partnerEvents.ToolCalled, { call: id, tool: 'edit_file', args: { text: prose(random, 200) }, shown: { key: 'tool.edit', params: { name: 'a.md' } } }, { actor: 'partner', run }));
      const change = { change: newId(realRandom, 'change'), call: id, op: 'edit' as const, path: `/work/src/file${(random() * 200) | 0}.md`, kind: 'file' as const, address: null, before: { kind: 'file' as const, hash: hash(), size: 900, mode: 420, blob: false }, after: { kind: 'file' as const, hash: hash(), size: 901, mode: 420, blob: false } };
      events.push(draft(partnerEvents.FileChangePlanned, change, by), draft(partnerEvents.FileChanged, { ...change, added: 3, removed: 1 }, by));
      events.push(draft(partnerEvents.ToolReturned, { call: id, outcome: 'ok', text: { text: prose(random, 200 + random() * 900) } }, by));
    }
    events.push(draft(partnerEvents.AnswerRecorded, { call: 3, text: { text: prose(random, 200 + random() * 1000) } }, { actor: 'partner', run }), draft(partnerEvents.RunCompleted, {}, by));
    yield events;
  }
}

export function open(dir: string): Promise<EventLog> {
  return openEventLog({ dir, kind: 'partner', fs: createNodeFs(), clock: realClock, random: realRandom, machine: 'bench' }).then((o) => {
    if (!o.ok) throw new Error(o.error.code);
    return o.value;
  });
}

/** A partner of about `count` events, written once and kept in `.bench/`. */
export async function history(count: number): Promise<string> {
  const dir = join(WORK, `history-${count}-v2`);
  if (existsSync(join(dir, 'whole'))) return dir;
  console.log(`  writing a history of ${count.toLocaleString('en')} events …`);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const log = await open(dir);
  let written = 0;
  for (const events of turns(7)) {
    if (written >= count) break;
    const batch = log.append(events, { durable: false });
    written += events.length;
    if (written % 500 < events.length) await batch.durable;
  }
  await log.append([draft(partnerEvents.PartnerCreated, { name: 'Bench', face: { shape: 'circle', colour: 'lake' } }, { actor: 'person' })]).durable;
  await log.close();
  writeFileSync(join(dir, 'whole'), String(written));
  return dir;
}

/** The stored lines of a history as one buffer (sizes up to 100k events). */
export function bytesOf(dir: string): Buffer {
  const log = join(dir, 'log');
  return Buffer.concat(readdirSync(log).flatMap((origin) => readdirSync(join(log, origin)).sort().map((f) => readFileSync(join(log, origin, f)))));
}

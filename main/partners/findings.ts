import type { Finding } from '#main/api/views.ts';
import type { LogFinding } from '#main/log/types.ts';

/** What opening a log found, in the words of the screen. */
export function findingsOf(findings: readonly LogFinding[]): Finding[] {
  return findings.map((f): Finding => {
    switch (f.kind) {
      case 'tornTail': return { code: 'tornTail', params: { bytes: f.bytes, copy: f.copy } };
      case 'lostRecord': return { code: 'lostRecord', params: { bytes: f.bytes, copy: f.copy } };
      case 'damage': return { code: 'damage', params: { after: f.afterSeq } };
      case 'missingEnd': return { code: 'missingEnd', params: { count: f.anchoredSeq - f.lastSeq } };
      case 'unreadable': return { code: 'unreadable', params: { seq: f.seq } };
      case 'unknownEvents': return { code: 'unknownEvents', params: { count: f.count } };
    }
  });
}

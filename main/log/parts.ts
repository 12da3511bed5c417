import type { OriginId } from '#domain/ids.ts';
import type { Clock } from '#main/ports/clock.ts';
import type { FsPort } from '#main/ports/fs.ts';
import type { Random } from '#main/ports/random.ts';
import type { OriginLog } from './origin-log.ts';
import type { LogFinding } from './types.ts';

/** What opening found and hands to the log in memory. */
export interface LogParts {
  readonly kind: 'partner' | 'app';
  readonly fs: FsPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly origins: ReadonlyMap<OriginId, OriginLog>;
  readonly own: OriginLog;
  readonly findings: readonly LogFinding[];
  readonly readOnly: boolean;
  /** What opening could not make durable yet; done before anything is written. */
  readonly unsettled: (() => Promise<void>) | null;
}

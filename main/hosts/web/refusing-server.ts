import type { Failure } from '#domain/result.ts';
import { service } from '#main/api/service.ts';
import type { Answering } from '#main/server/session.ts';

/** Stands in where no workbench may open: every call is answered with the one reason, but for those that are `allowed`. */
export function refusingServer(failure: Failure, allowed: Partial<Answering['handlers']> = {}): Answering {
  const refuse = async () => ({ ok: false as const, error: failure });
  return {
    version: '0',
    report: () => undefined,
    handlers: { ...Object.fromEntries(Object.keys(service).map((method) => [method, refuse])), ...allowed } as unknown as Answering['handlers'],
    follow: async () => ({ ok: false, error: failure }),
  };
}

import type { Failure } from '#domain/result.ts';
import { service } from '#main/api/service.ts';
import type { Answering } from '#main/server/session.ts';

/** Stands in where no workbench may open: every call is answered with the one reason. */
export function refusingServer(failure: Failure): Answering {
  const refuse = async () => ({ ok: false as const, error: failure });
  return {
    version: '0',
    report: () => undefined,
    handlers: Object.fromEntries(Object.keys(service).map((method) => [method, refuse])) as unknown as Answering['handlers'],
    follow: async () => ({ ok: false, error: failure }),
  };
}

import { isId } from '#domain/ids.ts';
import { fail, ok } from '#domain/result.ts';
import { topics } from '#main/api/service.ts';
import type { Answering } from '#main/server/session.ts';
import { createHandlers } from './handlers.ts';
import type { Workbench } from './workbench.ts';

const CONVERSATION = topics.conversation('' as never);

/** An open workbench behind the contract: its calls and its topics. */
export function answeringFor(workbench: Workbench): Answering & { readonly workbench: Workbench } {
  return {
    workbench,
    version: workbench.options.version,
    handlers: createHandlers(workbench),
    report: (what, cause) => workbench.diagnostics.report(what, cause),
    async follow(topic, from, push) {
      if (topic === topics.app) return ok(await workbench.followApp(push));
      if (topic === topics.partners) return ok(workbench.partners.topic.follow({ kind: 'list', partners: workbench.partners.list() }, push));
      const id = topic.startsWith(CONVERSATION) ? topic.slice(CONVERSATION.length) : '';
      if (!isId('partner', id)) return fail('topic.unknown');
      const partner = workbench.partners.get(id);
      return partner.ok ? ok(await partner.value.follow(from, push)) : partner;
    },
  };
}

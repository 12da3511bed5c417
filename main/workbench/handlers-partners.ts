import type { PartnerId } from '#domain/ids.ts';
import type { PartnerCommand } from '#domain/partner/decide.ts';
import { modelOf } from '#domain/partner/facts.ts';
import { fail, ok, type Failure, type Result } from '#domain/result.ts';
import { toLongText } from '#main/agent/long-text.ts';
import type { WorkbenchService } from '#main/api/service.ts';
import type { PartnerSummary } from '#main/api/views.ts';
import type { Handlers } from '#main/api/wire.ts';
import { newId } from '#main/ports/random.ts';
import { collectBlobs } from './collect.ts';
import type { Workbench } from './workbench.ts';

type Part = Pick<
  Handlers<WorkbenchService>,
  'partners.list' | 'partner.create' | 'partner.rename' | 'partner.face' | 'partner.pin' | 'partner.delete' | 'partner.permission' | 'partner.model' | 'conversation.page' | 'run.send' | 'run.stop' | 'approval.decide'
>;

/** Partners, their conversation and their runs. */
export function partnerHandlers(workbench: Workbench): Part {
  const { partners, app, options } = workbench;

  async function simple(id: PartnerId, command: PartnerCommand): Promise<Result<PartnerSummary, Failure>> {
    const partner = partners.get(id);
    if (!partner.ok) return partner;
    const done = await partner.value.command(command);
    return done.ok ? ok(partner.value.summary()) : done;
  }

  return {
    'partners.list': async () => ok(partners.list()),
    async 'partner.create'({ name, face }) {
      const created = await partners.create(name, face);
      return created.ok ? ok(created.value.summary()) : created;
    },
    'partner.rename': ({ partner, name }) => simple(partner, { do: 'RenamePartner', name }),
    'partner.face': ({ partner, face }) => simple(partner, { do: 'ChooseFace', face }),
    'partner.pin': ({ partner, pinned }) => simple(partner, { do: 'PinPartner', pinned }),
    async 'partner.delete'({ partner }, caller) {
      if (caller.insideRun) return fail('rights.insideRun');
      const deleted = await partners.delete(partner, caller.channel);
      // Its bytes go too, as far as nobody else needs them (case 57); failing that they go another time.
      // Nobody waits for it: it reads every log.
      if (deleted.ok) workbench.later('collect', () => collectBlobs(workbench));
      return deleted;
    },
    'partner.permission': ({ partner, permission }, caller) => simple(partner, { do: 'ChoosePermission', permission, channel: caller.channel, insideRun: caller.insideRun }),
    async 'partner.model'({ partner, model }, caller) {
      if (caller.insideRun) return fail('rights.insideRun');
      if (model.provider !== 'local' && !app.state.providers.some((p) => p.id === model.provider)) return fail('model.missing', { model: model.model });
      return simple(partner, { do: 'ChooseModel', model });
    },
    async 'conversation.page'({ partner, before, limit, asOf }) {
      const got = partners.get(partner);
      if (!got.ok) return got;
      return ok(await got.value.history.page({ limit: limit ?? 20, ...(before === undefined ? {} : { before }), ...(asOf ? { asOf: asOf as never } : {}) }));
    },
    async 'run.send'(input, caller) {
      const got = partners.get(input.partner);
      if (!got.ok) return got;
      const { facts } = got.value.state;
      if (input.permission === 'full' && facts.permission !== 'full' && caller.insideRun) return fail('rights.insideRun');
      const text = await toLongText(workbench.blobs, input.text);
      if (!text.ok) return text;
      return got.value.send({
        run: newId(options.random, 'run'), text: text.value, attachments: input.attachments ?? [], channel: caller.channel,
        model: input.model ?? modelOf(facts, app.state.defaultModel), permission: input.permission ?? facts.permission,
        language: input.language ?? languageOf(input.text) ?? got.value.deps.language(), addresses: got.value.deps.addresses(),
      });
    },
    async 'run.stop'({ partner }, caller) {
      const got = partners.get(partner);
      return got.ok ? got.value.stop(caller.channel) : got;
    },
    async 'approval.decide'({ partner, batch, decisions }, caller) {
      const got = partners.get(partner);
      if (!got.ok) return got;
      return got.value.decideApproval({
        batch, channel: caller.channel, insideRun: caller.insideRun,
        decisions: decisions.map((d) => ({ call: d.call as never, decision: d.decision, ...(d.guidance === undefined ? {} : { guidance: d.guidance }) })),
      });
    },
  };
}

/** The language of a message by its letters; null when it has none. */
export function languageOf(text: string): 'zh' | 'en' | null {
  if (/\p{Script=Han}/u.test(text)) return 'zh';
  return /[a-z]{2}/i.test(text) ? 'en' : null;
}

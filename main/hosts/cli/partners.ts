import { FACE_COLOURS, FACE_SHAPES } from '#domain/events/index.ts';
import { option } from './arguments.ts';
import type { Command } from './context.ts';
import { withPartner } from './pick.ts';

/** `curator partner …` */
export const PARTNER_COMMANDS: readonly Command[] = [
  {
    use: 'partner create NAME [--shape S] [--colour C]',
    async run({ connection, out, args }, [name = '']) {
      const shape = choose(FACE_SHAPES, option(args, 'shape') ?? 'circle');
      const colour = choose(FACE_COLOURS, option(args, 'colour') ?? 'lake');
      if (!shape) return out.usage(`--shape is one of ${FACE_SHAPES.join(', ')}`, this.use);
      if (!colour) return out.usage(`--colour is one of ${FACE_COLOURS.join(', ')}`, this.use);
      return out.one(await connection.call['partner.create']({ name, face: { shape, colour } }), (p) => p.id);
    },
  },
  {
    use: 'partner list',
    run: async ({ connection, out }) =>
      out.each(await connection.call['partners.list']({}), (p) => `${p.pinned ? '* ' : '  '}${p.id}  ${p.name}  (${p.health === 'well' ? p.activity : 'DAMAGED, read only'}, ${p.permission}, ${p.model.model})`),
  },
  { use: 'partner rename PARTNER NAME', run: withPartner(async ({ connection, out }, partner, [name = '']) => out.one(await connection.call['partner.rename']({ partner, name }), (p) => p.name)) },
  {
    use: 'partner pin PARTNER [on|off]',
    run: withPartner(async ({ connection, out }, partner, [state]) => out.one(await connection.call['partner.pin']({ partner, pinned: state !== 'off' }), (p) => `${p.name}  ${p.pinned ? 'pinned' : 'not pinned'}`)),
  },
  { use: 'partner delete PARTNER', run: withPartner(async ({ connection, out }, partner) => out.one(await connection.call['partner.delete']({ partner }), (d) => `deleted, ${d.events} events`)) },
  {
    use: 'partner permission PARTNER review|full',
    run: withPartner(async ({ connection, out }, partner, [permission]) => out.one(await connection.call['partner.permission']({ partner, permission: permission === 'full' ? 'full' : 'review' }), (p) => p.permission)),
  },
];

function choose<T extends string>(among: readonly T[], given: string): T | null {
  return among.find((one) => one === given) ?? null;
}

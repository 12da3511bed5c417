import type { PartnersPush, PartnerSummary } from '#main/api/views.ts';

/** Null until the first list came. */
export type PartnersView = readonly PartnerSummary[] | null;

/** Folds a push of topic `partners`. The order is the host's for pinned ones and by time for the rest. */
export function foldPartners(view: PartnersView, push: PartnersPush): PartnersView {
  switch (push.kind) {
    case 'list':
      return inOrder(push.partners);
    case 'changed': {
      const known = view ?? [];
      const at = known.findIndex((p) => p.id === push.partner.id);
      return inOrder(at < 0 ? [push.partner, ...known] : known.map((p, i) => (i === at ? push.partner : p)));
    }
    case 'gone':
      return view?.filter((p) => p.id !== push.partner) ?? null;
  }
}

/** Pinned ones first, each part newest first; equal times keep their order, so nothing trembles. */
function inOrder(partners: readonly PartnerSummary[]): readonly PartnerSummary[] {
  return [...partners].sort((a, b) => Number(b.pinned) - Number(a.pinned) || (a.lastAt < b.lastAt ? 1 : a.lastAt > b.lastAt ? -1 : 0));
}

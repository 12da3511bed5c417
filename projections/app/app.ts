import { LOCAL_MODEL, type AppEvent, type ModelChoice, type WritePolicy } from '#domain/events/index.ts';
import type { AddressId, ChangeId, Hash, OriginId, PartnerId, ProviderId } from '#domain/ids.ts';
import type { Projection } from '../projection.ts';

/** Everything that belongs to no partner, as plain JSON (it is also the disposable cache of the app log). */
export interface AppState {
  readonly addresses: readonly AppAddress[];
  readonly providers: readonly AppProvider[];
  readonly defaultModel: ModelChoice;
  readonly language: 'zh' | 'en' | 'system';
  readonly theme: 'light' | 'dark' | 'system';
  readonly partners: readonly PartnerId[];
  /** Deleted here: a folder that a kill left behind is removed, never listed again. */
  readonly deleted: readonly PartnerId[];
  /** Ends of partners' logs that must still be there (design §3). Keyed by partner, then origin. */
  readonly anchors: Readonly<Record<string, Readonly<Record<string, { readonly seq: number; readonly h: Hash }>>>>;
  /** Saves of the person that are kept aside, newest last; only the newest ones, the log has them all. */
  readonly kept: readonly KeptBytes[];
}

/** Bytes that somebody saved and that a change or a revert overtook. */
export interface KeptBytes {
  readonly path: string;
  readonly blob: Hash;
  readonly size: number;
  readonly at: string;
  /** The change whose record it belongs to; null where nothing says which. */
  readonly change: ChangeId | null;
}
const KEPT = 100;

export interface AppAddress {
  readonly id: AddressId;
  readonly root: string;
  readonly name: string;
  readonly policy: WritePolicy;
  readonly sample: boolean;
}

export interface AppProvider {
  readonly id: ProviderId;
  readonly name: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
  readonly hasKey: boolean;
}

export const appState: Projection<AppState, AppEvent> = {
  version: 2,
  initial: { addresses: [], providers: [], defaultModel: LOCAL_MODEL, language: 'system', theme: 'system', partners: [], deleted: [], anchors: {}, kept: [] },
  project(view, event) {
    if (event.data === null) return view;
    switch (event.type) {
      case 'AddressAdded': {
        const { address, root, name, policy, sample } = event.data;
        return { ...view, addresses: [...view.addresses.filter((a) => a.id !== address), { id: address, root, name, policy, sample: sample ?? false }] };
      }
      case 'AddressPolicyChosen': {
        const { address, policy } = event.data;
        return { ...view, addresses: view.addresses.map((a) => (a.id === address ? { ...a, policy } : a)) };
      }
      case 'AddressRemoved': {
        const { address } = event.data;
        return { ...view, addresses: view.addresses.filter((a) => a.id !== address) };
      }
      case 'ProviderAdded':
      case 'ProviderChanged': {
        const { provider, name, baseUrl, models, hasKey } = event.data;
        const next = { id: provider, name, baseUrl, models, hasKey };
        const known = view.providers.some((p) => p.id === provider);
        return { ...view, providers: known ? view.providers.map((p) => (p.id === provider ? next : p)) : [...view.providers, next] };
      }
      case 'ProviderRemoved': {
        const { provider } = event.data;
        const defaultModel = view.defaultModel.provider === provider ? LOCAL_MODEL : view.defaultModel;
        return { ...view, defaultModel, providers: view.providers.filter((p) => p.id !== provider) };
      }
      case 'DefaultModelChosen': return { ...view, defaultModel: event.data.model };
      case 'LanguageChosen': return { ...view, language: event.data.language };
      case 'ThemeChosen': return { ...view, theme: event.data.theme };
      case 'PartnerListed': {
        const partner = event.data.partner as PartnerId;
        return view.partners.includes(partner) ? view : { ...view, partners: [...view.partners, partner] };
      }
      case 'PartnerDeleted': {
        const { partner } = event.data;
        const { [partner]: _gone, ...anchors } = view.anchors;
        return { ...view, partners: view.partners.filter((p) => p !== partner), deleted: [...view.deleted, partner as PartnerId], anchors };
      }
      case 'Anchored': {
        const { partner, origin, seq, h } = event.data;
        if (view.deleted.includes(partner as PartnerId)) return view;
        const known = view.anchors[partner]?.[origin as OriginId];
        if (known && known.seq >= seq) return view;
        return { ...view, anchors: { ...view.anchors, [partner]: { ...view.anchors[partner], [origin]: { seq, h } } } };
      }
      case 'BytesKept': {
        const { path, blob, size, change } = event.data;
        return { ...view, kept: [...view.kept.filter((k) => k.path !== path || k.blob !== blob), { path, blob, size, at: event.at, change: change ?? null }].slice(-KEPT) };
      }
      default: return view;
    }
  },
};

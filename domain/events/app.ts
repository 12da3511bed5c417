import * as z from 'zod/mini';
import { define } from './define.ts';
import * as s from './shapes.ts';

/** Facts that belong to no partner: addresses, providers (never keys), settings, anchors, kept bytes (design §3). */
export const appEvents = {
  OriginStarted: define('OriginStarted', 1, 'control', z.object({ reason: z.enum(['created', 'branched', 'imported', 'restored', 'moved']) })),
  AddressAdded: define('AddressAdded', 1, 'control', z.object({ address: s.addressId, root: s.path, name: s.name, policy: s.writePolicy, sample: z.optional(z.boolean()) })),
  AddressPolicyChosen: define('AddressPolicyChosen', 1, 'control', z.object({ address: s.addressId, policy: s.writePolicy, channel: s.channel })),
  AddressRemoved: define('AddressRemoved', 1, 'control', z.object({ address: s.addressId })),
  ProviderAdded: define('ProviderAdded', 1, 'control', z.object({ provider: s.providerId, name: s.name, baseUrl: z.string().check(z.maxLength(2000)), models: z.array(s.name), hasKey: z.boolean() })),
  ProviderChanged: define('ProviderChanged', 1, 'control', z.object({ provider: s.providerId, name: s.name, baseUrl: z.string().check(z.maxLength(2000)), models: z.array(s.name), hasKey: z.boolean() })),
  ProviderRemoved: define('ProviderRemoved', 1, 'control', z.object({ provider: s.providerId })),
  DefaultModelChosen: define('DefaultModelChosen', 1, 'control', z.object({ model: s.modelChoice })),
  LanguageChosen: define('LanguageChosen', 1, 'control', z.object({ language: z.enum(['zh', 'en', 'system']) })),
  ThemeChosen: define('ThemeChosen', 1, 'control', z.object({ theme: z.enum(['light', 'dark', 'system']) })),
  PartnerListed: define('PartnerListed', 1, 'control', z.object({ partner: z.string() })),
  PartnerDeleted: define('PartnerDeleted', 1, 'audit', z.object({ partner: z.string(), name: s.name, heads: z.record(z.string(), z.object({ seq: z.number(), h: s.hash })), events: z.number() })),
  /** The end of a partner's log as of a run's end or a close; a log that ends before it is damaged. */
  Anchored: define('Anchored', 1, 'audit', z.object({ partner: z.string(), origin: s.originId, seq: z.number(), h: s.hash })),
  BytesKept: define('BytesKept', 1, 'audit', z.object({ path: s.path, blob: s.hash, size: z.number(), why: z.enum(['overtaken', 'overwritten', 'replaced']), change: z.optional(s.changeId) }), (d) => [d.blob]),
} as const;

import { basename, dirname, join } from 'node:path';
import { appEvents, draft } from '#domain/events/index.ts';
import { fail, ok } from '#domain/result.ts';
import type { WorkbenchService } from '#main/api/service.ts';
import type { Handlers } from '#main/api/wire.ts';
import { errnoOf } from '#main/ports/fs.ts';
import { newId } from '#main/ports/random.ts';
import { copySample } from './sample.ts';
import type { Workbench } from './workbench.ts';

type Part = Pick<Handlers<WorkbenchService>, 'address.add' | 'address.policy' | 'address.remove' | 'sample.create' | 'folders.list' | 'folders.choose'>;
const MAX_FOLDERS = 1000;

/** Work addresses: the folders the person gave us, and how each may be written. */
export function addressHandlers(workbench: Workbench): Part {
  const { app, options, gate } = workbench;
  const { fs, random } = options;
  return {
    async 'address.add'({ path, policy, name }, caller) {
      if (caller.insideRun) return fail('rights.insideRun');
      const root = await gate.judgeRoot(path);
      if (!root.ok) return root;
      if (app.state.addresses.some((a) => a.root === root.value)) return fail('address.exists', { path: root.value });
      // The whole home holds what programs read at their start: there every change is asked for.
      if (policy === 'direct' && gate.warnRoot(root.value)) return fail('gate.root.home', { path: root.value });
      const fact = draft(appEvents.AddressAdded, { address: newId(random, 'address'), root: root.value, name: name ?? (basename(root.value) || root.value), policy }, { actor: 'person' });
      const done = await app.commit([fact]);
      return done.ok ? ok(await workbench.view()) : done;
    },
    async 'address.policy'({ address, policy }, caller) {
      if (caller.insideRun) return fail('rights.insideRun');
      const known = app.state.addresses.find((a) => a.id === address);
      if (!known) return fail('address.unknown');
      if (policy === 'direct' && gate.warnRoot(known.root)) return fail('gate.root.home', { path: known.root });
      const done = await app.commit([draft(appEvents.AddressPolicyChosen, { address, policy, channel: caller.channel }, { actor: 'person' })]);
      return done.ok ? ok(await workbench.view()) : done;
    },
    async 'address.remove'({ address }, caller) {
      if (caller.insideRun) return fail('rights.insideRun');
      if (!app.state.addresses.some((a) => a.id === address)) return fail('address.unknown');
      const done = await app.commit([draft(appEvents.AddressRemoved, { address }, { actor: 'person' })]);
      return done.ok ? ok(await workbench.view()) : done;
    },
    async 'sample.create'(_input, caller) {
      if (caller.insideRun) return fail('rights.insideRun');
      const known = app.state.addresses.find((a) => a.sample);
      if (known) return ok({ app: await workbench.view(), address: known.id, root: known.root });
      const copied = await copySample(options);
      if (!copied.ok) return copied;
      const address = newId(random, 'address');
      const done = await app.commit([draft(appEvents.AddressAdded, { address, root: copied.value, name: basename(copied.value), policy: 'confirm', sample: true }, { actor: 'person' })]);
      return done.ok ? ok({ app: await workbench.view(), address, root: copied.value }) : done;
    },
    async 'folders.list'({ path }) {
      const at = path ?? options.home;
      try {
        const real = await fs.realpath(at);
        const entries = await fs.readdir(real);
        const folders = entries.filter((e) => e.kind === 'folder' && !e.name.startsWith('.')).map((e) => ({ name: e.name, path: join(real, e.name) }));
        folders.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
        const parent = dirname(real);
        return ok({ path: real, parent: parent === real ? null : parent, folders: folders.slice(0, MAX_FOLDERS), omitted: Math.max(0, folders.length - MAX_FOLDERS) });
      } catch (cause) {
        return fail('folder.unreadable', { path: at, errno: errnoOf(cause) });
      }
    },
    async 'folders.choose'() {
      return options.host.chooseFolder ? ok({ path: await options.host.chooseFolder() }) : fail('host.noDialog');
    },
  };
}

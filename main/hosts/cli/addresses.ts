import { resolve } from 'node:path';
import { ok } from '#domain/result.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { option } from './arguments.ts';
import type { Command } from './context.ts';
import { pick } from './pick.ts';

/** `curator address …`: paths are meant from where the command line stands, and named by where they really are. */
export const ADDRESS_COMMANDS: readonly Command[] = [
  {
    use: 'address add PATH [--policy readOnly|confirm|direct] [--name NAME]',
    async run({ connection, out, args }, [path = '']) {
      const name = option(args, 'name');
      const policy = (option(args, 'policy') ?? 'confirm') as 'readOnly' | 'confirm' | 'direct';
      const added = await connection.call['address.add']({ path: resolve(path), policy, ...(name ? { name } : {}) });
      if (!added.ok) return out.failure(added.error);
      const at = await realPath(path);
      // Somebody else may have added one at the same moment: ours is the one that lies there.
      const address = added.value.addresses.find((a) => a.root === at) ?? added.value.addresses.at(-1);
      return out.one(ok(address), (a) => `${a?.id}  ${a?.policy}  ${a?.root}`);
    },
  },
  {
    use: 'address list',
    async run({ connection, out }) {
      const app = await connection.call['app.view']({});
      return app.ok ? out.each(ok(app.value.addresses), (a) => `${a.id}  ${a.policy}  ${a.name}  ${a.root}${a.reachable ? '' : '  (not found now)'}`) : out.failure(app.error);
    },
  },
  {
    use: 'address remove ADDRESS|PATH',
    async run({ connection, out }, [given = '']) {
      const app = await connection.call['app.view']({});
      if (!app.ok) return out.failure(app.error);
      const paths = [resolve(given), await realPath(given)];
      const address = pick('address', app.value.addresses, given, (a) => paths.includes(a.root));
      if (!address.ok) return out.failure(address.error);
      const { id, root } = address.value;
      const removed = await connection.call['address.remove']({ address: id });
      return removed.ok ? out.one(ok({ id, root }), () => root) : out.failure(removed.error);
    },
  },
];

/** Where a path really is; where it is written when it is not there. */
function realPath(path: string): Promise<string> {
  return createNodeFs().realpath(resolve(path)).catch(() => resolve(path));
}

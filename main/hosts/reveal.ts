import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fail, ok, type Result } from '#domain/result.ts';
import type { FsPort } from '#main/ports/fs.ts';

/** Shows a file in its folder (or opens a folder) with the system's own program. Arguments are never read by a shell. */
export async function revealPath(fs: FsPort, platform: string, path: string): Promise<Result<void>> {
  const folder = await fs.stat(path).then((s) => s.kind === 'folder', () => null);
  if (folder === null) return fail('reveal.missing', { path });
  const open = folder && !(platform === 'darwin' && looksLikePackage(path));
  const [program, args] =
    platform === 'darwin' ? ['open', open ? [path] : ['-R', path]] : platform === 'win32' ? ['explorer.exe', folder ? [path] : [`/select,${path}`]] : ['xdg-open', [folder ? path : dirname(path)]];
  return new Promise((done) => {
    const child = spawn(program as string, args as string[], { stdio: 'ignore', detached: true });
    child.once('error', (cause) => done(fail('reveal.noProgram', {}, cause.message)));
    child.once('spawn', () => {
      child.unref();
      done(ok());
    });
  });
}

/** A folder with an extension may be an app bundle, an installer or the like: opening it would run it. */
export function looksLikePackage(path: string): boolean {
  return /\.[A-Za-z][A-Za-z0-9]*[\\/]*$/.test(path);
}

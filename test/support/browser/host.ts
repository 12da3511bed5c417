import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = new URL('../../..', import.meta.url).pathname;

/** The real local web host as a process of its own, the way `npm start` runs it. */
export interface WebHost {
  readonly child: ChildProcess;
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  /** SIGKILL: nothing gets a chance to tidy up. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export async function startWebHost(dataDir: string, home: string, language: 'zh' | 'en', port?: number): Promise<WebHost> {
  const child = spawn(process.execPath, [join(root, 'dist/main/web/main.mjs'), '--data', dataDir, ...(port ? ['--port', String(port)] : [])], {
    env: { ...process.env, HOME: home, XDG_DATA_HOME: join(home, '.local/share'), LANG: language === 'zh' ? 'zh_CN.UTF-8' : 'en_US.UTF-8', LC_ALL: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout! });
  const ready = await new Promise<{ url: string; port: number }>((done, failed) => {
    lines.on('line', (line) => {
      const event = JSON.parse(line) as { event: string; url?: string; port?: number; text?: string };
      if (event.event === 'ready' || event.event === 'running') done({ url: event.url ?? '', port: event.port ?? 0 });
      if (event.event === 'failed') failed(new Error(event.text));
    });
    child.once('exit', (code) => failed(new Error(`the host ended with ${code}`)));
  });
  const gone = once(child, 'exit');
  return {
    child, dataDir, ...ready,
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
    async stop() {
      child.kill('SIGTERM');
      await gone;
    },
  };
}

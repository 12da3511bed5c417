import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
/** The built command line; `scripts/curator.mjs` builds first and then runs this. */
export const BUILT = join(root, 'dist/main/cli/main.mjs');
export const SCRIPT = join(root, 'scripts/curator.mjs');

/** What a command printed and how it ended. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** Standard output by the line. */
  readonly lines: readonly string[];
}

/** One JSON value of standard output; tests look into it as it is. */
export type Json = Readonly<Record<string, unknown>>;

/** Temp folders of one person: data, a folder to work in, a home; and the real command line on them. */
export class Cli {
  readonly home = mkdtempSync(join(tmpdir(), 'curator-cli-'));
  readonly data = join(this.home, 'data');
  readonly work = join(this.home, 'work');
  readonly #running = new Set<Started>();

  constructor() {
    mkdirSync(this.work);
  }

  /** Starts a command on the data folder. */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}, entry = BUILT): Started {
    const started = new Started(spawn(process.execPath, [entry, ...args], { env: this.env(env), cwd: this.work, stdio: ['pipe', 'pipe', 'pipe'] }));
    this.#running.add(started);
    return started;
  }

  /** Runs a command to its end. */
  run(...args: readonly string[]): Promise<Ran> {
    return this.start(args).ended;
  }

  /** Runs with `--json`: every line of standard output is one JSON value, and nothing is said elsewhere. */
  async json(...args: readonly string[]): Promise<{ readonly code: number | null; readonly values: readonly Json[] }> {
    const { code, lines, err } = await this.run(...args, '--json');
    if (err !== '') throw new Error(`said on standard error: ${err}`);
    return { code, values: lines.map((line) => JSON.parse(line) as Json) };
  }

  /** The only value of a command that must succeed. */
  async value(...args: readonly string[]): Promise<Json> {
    const { code, values } = await this.json(...args);
    if (code !== 0 || values.length !== 1) throw new Error(`${args.join(' ')}: ${code} ${JSON.stringify(values)}`);
    return values[0]!;
  }

  /** The environment of a command: this person's home and nothing of the tester's own Curator. */
  env(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
    const { CURATOR_RUN: _run, ...rest } = process.env;
    return { ...rest, HOME: this.home, XDG_DATA_HOME: join(this.home, '.local/share'), CURATOR_DATA: this.data, LANG: 'en_US.UTF-8', LC_ALL: '', ...more };
  }

  /** Files of the data folder whose bytes hold the text. */
  holding(text: string): string[] {
    const files = readdirSync(this.data, { recursive: true, withFileTypes: true }).filter((e) => e.isFile());
    return files.map((e) => join(e.parentPath, e.name)).filter((path) => readFileSync(path).includes(text));
  }

  /** Ends what still runs and removes the folders. */
  async close(): Promise<void> {
    for (const one of this.#running) one.child.kill('SIGKILL');
    await Promise.all([...this.#running].map((one) => one.ended));
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** A command that runs. */
export class Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
  #out = '';
  #err = '';
  readonly #heard = new Set<() => void>();
  #over = false;

  constructor(child: ChildProcess) {
    this.child = child;
    const hear = () => [...this.#heard].forEach((check) => check());
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.#out += text;
      hear();
    });
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#err += text;
      hear();
    });
    this.ended = new Promise((done) =>
      child.once('close', (code) => {
        this.#over = true;
        hear();
        done({ code, out: this.#out, err: this.#err, lines: this.#out.split('\n').filter((line) => line !== '') });
      }),
    );
  }

  /** Waits until the output (of both kinds) holds the text; fails when the command ends without it. */
  says(text: string): Promise<void> {
    return new Promise((done, failed) => {
      const check = () => {
        const said = (this.#out + this.#err).includes(text);
        if (!said && !this.#over) return;
        this.#heard.delete(check);
        if (said) done();
        else failed(new Error(`ended without saying “${text}”: ${this.#out}${this.#err}`));
      };
      this.#heard.add(check);
      check();
    });
  }

  /** Sends a signal and waits for the end. */
  signal(signal: NodeJS.Signals): Promise<Ran> {
    this.child.kill(signal);
    return this.ended;
  }
}

import { Worker } from 'node:worker_threads';
import { releaseProxy, wrap, type Remote } from 'comlink';
import { nodeEndpoint } from '#workers/node-endpoint.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import type { Clock } from '#main/ports/clock.ts';

/**
 * One worker thread behind comlink, started when first needed and again after it died. Comlink itself
 * never settles a call whose worker is gone and may lose a reply when its proxy is collected, so the
 * proxy is held here for the worker's life, every call has a deadline, and an exit settles them all.
 */
export interface WorkerCalls<T> {
  /** Codes: worker.timeout, worker.gone, worker.failed. */
  call<R>(work: (remote: Remote<T>) => Promise<R>, timeoutMs: number): Promise<Result<R>>;
  close(): Promise<void>;
}

export function createWorker<T>(entry: URL, clock: Clock): WorkerCalls<T> {
  let current: { readonly worker: Worker; readonly remote: Remote<T>; readonly waiting: Set<() => void> } | null = null;

  function start(): NonNullable<typeof current> {
    const worker = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: 512 } });
    worker.unref();
    const started = { worker, remote: wrap<T>(nodeEndpoint(worker)), waiting: new Set<() => void>() };
    const gone = () => {
      if (current === started) current = null;
      for (const settle of started.waiting) settle();
    };
    worker.once('error', gone);
    worker.once('exit', gone);
    return started;
  }

  return {
    call<R>(work: (remote: Remote<T>) => Promise<R>, timeoutMs: number): Promise<Result<R>> {
      const using = (current ??= start());
      return new Promise((done) => {
        const finish = (result: Result<R>) => {
          cancel();
          using.waiting.delete(lost);
          done(result);
        };
        const lost = () => finish(fail('worker.gone'));
        const cancel = clock.after(timeoutMs, () => {
          finish(fail('worker.timeout'));
          // A worker that is still busy is of no more use: the next call gets a fresh one.
          if (current === using) current = null;
          void using.worker.terminate();
        });
        using.waiting.add(lost);
        work(using.remote).then(
          (value) => finish(ok(value)),
          (cause: unknown) => finish(fail('worker.failed', {}, cause instanceof Error ? cause.message : String(cause))),
        );
      });
    },
    async close() {
      const using = current;
      current = null;
      if (!using) return;
      using.remote[releaseProxy]();
      await using.worker.terminate();
    },
  };
}

import type { FsPort } from '#main/ports/fs.ts';

export interface Held {
  readonly fs: FsPort;
  /** From now on an `open` whose path fits waits. */
  hold(fits: (path: string) => boolean): void;
  /** Resolves when one waits. */
  readonly reached: () => Promise<void>;
  release(): void;
}

/** A disk on which chosen files open only when the test says so. */
export function heldFs(real: FsPort): Held {
  let fits: (path: string) => boolean = () => false;
  let arrived = deferred();
  let gate = deferred();
  return {
    fs: {
      ...real,
      async open(path, ...rest) {
        if (fits(path)) {
          arrived.resolve();
          await gate.promise;
        }
        return real.open(path, ...rest);
      },
    },
    hold(next) {
      fits = next;
      arrived = deferred();
      gate = deferred();
    },
    reached: () => arrived.promise,
    release() {
      fits = () => false;
      gate.resolve();
    },
  };
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

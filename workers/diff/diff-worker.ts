import { parentPort } from 'node:worker_threads';
import { expose } from 'comlink';
import { nodeEndpoint } from '#workers/node-endpoint.ts';
import { diffText } from './diff-text.ts';

/** What this worker answers. */
export interface DiffWorker {
  diffText: typeof diffText;
}

if (!parentPort) throw new Error('this file is the entry of a worker');
expose({ diffText } satisfies DiffWorker, nodeEndpoint(parentPort));

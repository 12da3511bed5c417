/// <reference path="./comlink-node.d.ts" />
import type { Endpoint } from 'comlink';
import adapt from 'comlink/dist/esm/node-adapter.mjs';
import type { MessagePort, Worker } from 'node:worker_threads';

/** A Node worker or message port as an end of comlink. The one place that knows its adapter. */
export function nodeEndpoint(port: Worker | MessagePort): Endpoint {
  return adapt(port as never);
}

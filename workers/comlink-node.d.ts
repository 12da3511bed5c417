/** Comlink ships this adapter without types. */
declare module 'comlink/dist/esm/node-adapter.mjs' {
  import type { Endpoint } from 'comlink';
  export default function nodeEndpoint(port: { postMessage(message: unknown, transfer?: readonly never[]): void; on(event: string, listener: (data: never) => void): unknown; off(event: string, listener: (data: never) => void): unknown }): Endpoint;
}

import { flushSync, mount } from 'svelte';
import type { Link } from '#app/feeds/link.svelte.ts';
import { linkTarget } from '#app/ui/markdown/links.ts';
import { MarkdownStream } from '#app/ui/markdown/stream.ts';
import Surface from './Surface.svelte';

/** The renderer on a page of its own, for the corpus: whole, in pieces, and every surface that shows Markdown. */
const words = { copyCode: 'Copy code', unavailable: 'Link unavailable', remoteImage: (host: string) => `Image at ${host}, not loaded`, blockedImage: 'Image cannot be loaded' };
let host: HTMLElement;
let stream: MarkdownStream;

export const probe = {
  /** Starts anew; returns nothing. */
  reset(): void {
    document.getElementById('app')?.replaceChildren();
    host = document.createElement('div');
    host.className = 'md';
    document.getElementById('app')?.append(host);
    stream = new MarkdownStream(host, words);
  },
  update(text: string, final: boolean): number {
    const from = performance.now();
    stream.update(text, final);
    return performance.now() - from;
  },
  /** Feeds pieces of `size` characters; answers with the slowest and the 95th update in ms. */
  pieces(text: string, size: number): { max: number; p95: number } {
    const times: number[] = [];
    for (let at = size; at < text.length + size; at += size) times.push(probe.update(text.slice(0, at), false));
    times.push(probe.update(text, true));
    times.sort((a, b) => a - b);
    return { max: times.at(-1) ?? 0, p95: times[Math.floor(times.length * 0.95)] ?? 0 };
  },
  html: () => host.innerHTML,
  /** The real component in a real workbench, so that clicks go where they go in the app. */
  surface(text: string): void {
    const target = document.getElementById('app');
    target?.replaceChildren();
    if (target) mount(Surface, { target, props: { text, link: fakeLink() } });
    flushSync();
  },
  target: (href: string) => linkTarget(href).kind,
};

const calls: string[] = [];
function fakeLink(): Link {
  const call = new Proxy({}, { get: (_, method) => async () => (calls.push(String(method)), { ok: false, error: { code: 'gate.outside', params: { path: 'x' } } }) });
  return { state: { kind: 'open' }, call, subscribe: () => () => {}, retry: () => {} } as unknown as Link;
}
declare global {
  interface Window {
    probe: typeof probe;
    __x?: unknown;
  }
}
window.probe = probe;

const ENCODED = /[A-Za-z0-9+/=_-]{1000,}/g;

/**
 * Text for a model with long runs of encoded data (base64 images in Markdown, minified blobs) cut out
 * and counted: they fill a context and say nothing (WB-CORE-006-B1).
 */
export function withoutEncodedData(text: string): { readonly text: string; readonly cut: number } {
  let cut = 0;
  const out = text.replace(ENCODED, (run) => {
    cut += run.length - 64;
    return `${run.slice(0, 32)}[… ${run.length - 64} characters of encoded data left out …]${run.slice(-32)}`;
  });
  return { text: out, cut };
}

/**
 * What the embedded assistant understands, as a pure function of the text (WA-INTENT-*). It never
 * guesses towards an action: what does not fit a form whole is `unknown`, and the assistant offers the
 * nearest things it can do.
 */
export type Intent =
  | { readonly do: 'list'; readonly path: string | null }
  | { readonly do: 'find'; readonly query: string }
  | { readonly do: 'read'; readonly path: string }
  | { readonly do: 'search'; readonly query: string }
  | { readonly do: 'summarise'; readonly path: string | null }
  | { readonly do: 'create'; readonly path: string; readonly content: string }
  | { readonly do: 'createFolder'; readonly path: string }
  | { readonly do: 'replace'; readonly path: string; readonly from: string; readonly to: string }
  | { readonly do: 'append'; readonly path: string; readonly text: string }
  | { readonly do: 'rename'; readonly path: string; readonly name: string }
  | { readonly do: 'move'; readonly path: string; readonly to: string }
  | { readonly do: 'copy'; readonly path: string; readonly to: string }
  | { readonly do: 'trash'; readonly path: string }
  | { readonly do: 'undo' }
  | { readonly do: 'help' }
  | { readonly do: 'refuse'; readonly why: 'permanent' | 'batch' | 'command' }
  | { readonly do: 'unknown' };

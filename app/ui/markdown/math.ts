import type { MarkdownIt } from 'markdown-it';

/**
 * A small reading of TeX: letters, numbers, powers and indices, fractions, roots, Greek and common signs.
 * What it does not know is shown as written. It only ever makes text, `sup`, `sub`, `i` and spans, so no
 * command can load or run anything.
 */
const SIGNS: Readonly<Record<string, string>> = {
  alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', epsilon: 'ε', varepsilon: 'ε', zeta: 'ζ', eta: 'η', theta: 'θ', iota: 'ι', kappa: 'κ', lambda: 'λ', mu: 'μ', nu: 'ν',
  xi: 'ξ', pi: 'π', rho: 'ρ', sigma: 'σ', tau: 'τ', phi: 'φ', varphi: 'φ', chi: 'χ', psi: 'ψ', omega: 'ω', Gamma: 'Γ', Delta: 'Δ', Theta: 'Θ', Lambda: 'Λ', Xi: 'Ξ',
  Pi: 'Π', Sigma: 'Σ', Phi: 'Φ', Psi: 'Ψ', Omega: 'Ω', times: '×', div: '÷', cdot: '·', pm: '±', mp: '∓', le: '≤', leq: '≤', ge: '≥', geq: '≥', ne: '≠', neq: '≠',
  approx: '≈', equiv: '≡', infty: '∞', sum: '∑', prod: '∏', int: '∫', partial: '∂', nabla: '∇', in: '∈', notin: '∉', subset: '⊂', cup: '∪', cap: '∩', to: '→',
  rightarrow: '→', leftarrow: '←', Rightarrow: '⇒', forall: '∀', exists: '∃', ldots: '…', cdots: '⋯', degree: '°', circ: '∘', quad: ' ', left: '', right: '',
  lim: 'lim', log: 'log', ln: 'ln', sin: 'sin', cos: 'cos', tan: 'tan', max: 'max', min: 'min', exp: 'exp',
};
const MAX_LENGTH = 600;
const MAX_DEPTH = 8;

/** HTML of a formula, or null when it holds something this reading does not know. `escape` makes text safe. */
export function mathHtml(source: string, escape: (text: string) => string): string | null {
  if (source.length > MAX_LENGTH) return null;
  let at = 0;
  const group = (depth: number): string | null => {
    if (depth > MAX_DEPTH) return null;
    const c = source[at];
    if (c === undefined) return null;
    if (c === '{') {
      at++;
      const inner = list(depth + 1, '}');
      if (inner === null || source[at] !== '}') return null;
      at++;
      return inner;
    }
    return atom(depth);
  };
  const atom = (depth: number): string | null => {
    const c = source[at];
    if (c === undefined || c === '}' || c === '&') return null;
    if (c === '\\') {
      const name = /^\\([A-Za-z]+)/.exec(source.slice(at, at + 24))?.[1];
      if (!name) {
        const sign = source[at + 1];
        if (sign === undefined || !/[{}%$#_,;! ]/.test(sign)) return null;
        at += 2;
        return /[,;! ]/.test(sign) ? ' ' : escape(sign);
      }
      at += name.length + 1;
      if (name === 'frac') {
        const over = group(depth);
        const under = over === null ? null : group(depth);
        return over === null || under === null ? null : `<span class="frac"><span>${over}</span><span>${under}</span></span>`;
      }
      if (name === 'sqrt') {
        const inner = group(depth);
        return inner === null ? null : `√<span class="root">${inner}</span>`;
      }
      if (name === 'text' || name === 'mathrm' || name === 'mathbf') return group(depth);
      return Object.hasOwn(SIGNS, name) ? (SIGNS[name] ?? null) : null;
    }
    at++;
    if (c === ' ') return ' ';
    return /[A-Za-z]/.test(c) ? `<i>${c}</i>` : escape(c === '-' ? '−' : c);
  };
  const list = (depth: number, end: string): string | null => {
    if (depth > MAX_DEPTH) return null;
    let out = '';
    while (at < source.length && source[at] !== end) {
      const c = source[at];
      if (c === '^' || c === '_') {
        at++;
        const inner = group(depth);
        if (inner === null) return null;
        out += c === '^' ? `<sup>${inner}</sup>` : `<sub>${inner}</sub>`;
        continue;
      }
      const part = c === '{' ? group(depth) : atom(depth);
      if (part === null) return null;
      out += part;
    }
    return out;
  };
  const html = list(0, '');
  return at === source.length ? html : null;
}

/** `$…$` inside a line. Prices (`$5 and $6`) stay text: no blank inside the marks, no digit after the last. */
export function mathPlugin(md: MarkdownIt): void {
  md.inline.ruler.after('escape', 'math', (state, silent) => {
    if (state.src.charCodeAt(state.pos) !== 36) return false;
    const wide = state.src.startsWith('$$', state.pos);
    const mark = wide ? '$$' : '$';
    const from = state.pos + mark.length;
    const limit = Math.min(state.posMax, from + MAX_LENGTH);
    const to = state.src.slice(from, limit).search(wide ? /\$\$/ : /(?<!\\)\$/) + from;
    if (to <= from) return false;
    const source = state.src.slice(from, to);
    if (!wide && (/^\s|\s$/.test(source) || /\d/.test(state.src[to + 1] ?? ''))) return false;
    if (!silent) {
      const token = state.push('math', 'span', 0);
      token.content = source;
      token.markup = mark;
    }
    state.pos = to + mark.length;
    return true;
  });
  md.renderer.rules.math = (tokens, i) => {
    const source = tokens[i]?.content ?? '';
    const { escapeHtml } = md.utils;
    const mark = tokens[i]?.markup ?? '$';
    const html = `<span class="katex">${mathHtml(source.trim(), escapeHtml) ?? escapeHtml(mark + source + mark)}</span>`;
    return mark === '$$' ? `<span class="katex-display">${html}</span>` : html;
  };
}

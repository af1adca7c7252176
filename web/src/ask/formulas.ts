import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';

/** Token types of formulas. `content` is the TeX without delimiters. */
export const INLINE_FORMULA = 'formula_inline';
export const BLOCK_FORMULA = 'formula_block';

interface Delimiters {
  readonly open: string;
  readonly close: string;
  /** Whether the formula stands on a line of its own. */
  readonly isBlock: boolean;
}

const DELIMITERS: readonly Delimiters[] = [
  { open: '\\[', close: '\\]', isBlock: true },
  { open: '$$', close: '$$', isBlock: true },
  { open: '\\(', close: '\\)', isBlock: false },
];

/**
 * A formula between single dollars. As in Pandoc (https://pandoc.org/MANUAL.html#math), the first dollar stands before,
 * and the last one after a character that is no space, and no digit follows: "$5 to $10" is no formula.
 */
const IN_DOLLARS = /\$(?![\s$])((?:\\[^]|[^\\$])*?[^\s\\$]|[^\s\\$])\$(?![\d$])/y;

/**
 * Reads formulas in TeX, as language models write them: `\(…\)`, `\[…\]`, `$…$`, `$$…$$`.
 *
 * @param isFormula whether a text between delimiters is a formula
 */
export function formulas(markdown: MarkdownIt, isFormula: (tex: string) => boolean): void {
  const inline = (state: StateInline, silent: boolean): boolean => {
    const found = inlineAt(state.src, state.pos);
    if (found === null || found.end > state.posMax || !isFormula(found.tex)) return false;
    if (!silent) {
      const token = state.push(found.isBlock ? BLOCK_FORMULA : INLINE_FORMULA, '', 0);
      token.content = found.tex;
    }
    state.pos = found.end;
    return true;
  };
  const block = (state: StateBlock, first: number, end: number, silent: boolean): boolean => {
    const lineAt = (line: number): string =>
      state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
    const start = lineAt(first);
    const delimiters = DELIMITERS.find(({ open, isBlock }) => isBlock && start.startsWith(open));
    if (delimiters === undefined) return false;
    const lines: string[] = [];
    for (let line = first; line < end; line++) {
      const text = line === first ? start.slice(delimiters.open.length) : lineAt(line);
      const close = text.indexOf(delimiters.close);
      lines.push(close === -1 ? text : text.slice(0, close));
      if (close === -1) continue;
      const tex = lines.join('\n');
      if (text.slice(close + delimiters.close.length).trim() !== '' || !isFormula(tex)) return false;
      if (silent) return true;
      const token = state.push(BLOCK_FORMULA, '', 0);
      token.content = tex;
      token.block = true;
      state.line = line + 1;
      return true;
    }
    return false;
  };
  markdown.inline.ruler.before('escape', 'formula', inline);
  markdown.block.ruler.before('fence', 'formula', block, { alt: ['paragraph', 'blockquote', 'list'] });
}

interface Found {
  readonly tex: string;
  readonly end: number;
  readonly isBlock: boolean;
}

function inlineAt(text: string, start: number): Found | null {
  const delimiters = DELIMITERS.find(({ open }) => text.startsWith(open, start));
  if (delimiters !== undefined) {
    const from = start + delimiters.open.length;
    const close = text.indexOf(delimiters.close, from);
    if (close === -1) return null;
    return {
      tex: text.slice(from, close),
      end: close + delimiters.close.length,
      isBlock: delimiters.isBlock,
    };
  }
  if (text[start] !== '$') return null;
  IN_DOLLARS.lastIndex = start;
  const [all, tex] = IN_DOLLARS.exec(text) ?? [];
  return all === undefined || tex === undefined ? null : { tex, end: start + all.length, isBlock: false };
}

/**
 * Plain-text notation of superscripts and subscripts, shared by all formats. The notation distinguishes `10⁶` from the
 * number 106.
 */

/** A superscript of two or more letters belongs to the preceding word: `1st`, `Mme`, `19th`. */
const ABBREVIATION = /^\p{L}{2,}$/u;

/** Matches signs that are always raised, and references in brackets: `Lectern®`, `20°`, `f′`, `[2]`. */
const RAISED_SIGN = /^(?:[®™©℠°ºª*†‡§¶′″'"]{1,9}|\[.{1,40}\])$/su;

/** Content that needs no parentheses: `10^6`, `10^-3`, `x^n`, `Ca^2+`. */
const SIMPLE = /^[+\-−–]?[\p{L}\p{N}.,]*[+\-−–]?$/u;

/** Superscript to append to its base: `6` becomes `^6`, `n+1` becomes `^(n+1)`, `st` stays `st`. */
export function raised(text: string): string {
  return marked('^', text);
}

/** Subscript to append to its base: `2` becomes `_2`, as in `H_2O`. */
export function lowered(text: string): string {
  return marked('_', text);
}

function marked(sign: string, text: string): string {
  const own = text.trim();
  if (own === '' || ABBREVIATION.test(own) || RAISED_SIGN.test(own)) return text;
  return text.replace(own, () => sign + (SIMPLE.test(own) ? own.replace(/[−–]/g, '-') : `(${own})`));
}

export type RunPosition = 'raised' | 'lowered' | 'on the line';

/** Joins runs of text; adjacent superscript runs are one superscript. */
export class RunText {
  private done = '';
  private open = '';
  private position: RunPosition = 'on the line';

  add(text: string, position: RunPosition): void {
    if (position !== this.position) {
      this.done = this.toString();
      this.open = '';
      this.position = position;
    }
    this.open += text;
  }

  toString(): string {
    switch (this.position) {
      case 'raised':
        return this.done + raised(this.open);
      case 'lowered':
        return this.done + lowered(this.open);
      case 'on the line':
        return this.done + this.open;
    }
  }
}

/**
 * Writes the formulas of all file formats on one line: structure in LaTeX notation (`\frac{a + b}{c}`, `x^{n + 1}`),
 * symbols as in the source (`α`, `≤`), and braces only where needed (`b/c`, `10^-3`).
 */

/** A part of a formula. */
export interface Part {
  readonly text: string;
  /** Determines spacing and brackets. */
  readonly kind: 'atom' | 'operator' | 'fraction' | 'script' | 'other';
}

export const NOTHING: Part = { text: '', kind: 'other' };

/** A number, a variable or the name of a function. */
export function atom(text: string): Part {
  return { text: text.trim(), kind: 'atom' };
}

export function operator(text: string): Part {
  return { text: text.trim().replaceAll('\u2212', '-'), kind: 'operator' };
}

/** Prose inside a formula: `for every`. */
export function words(text: string): Part {
  return { text: ` ${text} `, kind: 'other' };
}

/** A command of LaTeX with its arguments. */
export function command(name: string, ...parts: readonly Part[]): Part {
  return { text: `\\${name}${parts.map(({ text }) => `{${text.trim()}}`).join('')}`, kind: 'other' };
}

/** Matches infix signs, which are surrounded by spaces. Excludes large operators, roots and quantifiers. */
const INFIX =
  /^(?![\u2200-\u2207\u220f-\u2211\u221a-\u221c\u222b-\u2233|~¬])(?:[-\p{Sm}\u00b7\u2190-\u21ff\u27f0-\u27ff]{1,4}|:=)$/u;
const OPENING = /^[([{|‖⟨⌊⌈]$/;
const SEPARATOR = /^[,;]$/;

/** Text of the invisible operators: function application, times, comma and plus. */
const INVISIBLE: Readonly<Record<string, string>> = {
  '\u2061': '',
  '\u2062': '',
  '\u2063': ',',
  '\u2064': '',
};

/** Adjacent parts. */
export function row(parts: readonly Part[]): Part {
  const shown = parts.filter(({ text }) => text !== '' && INVISIBLE[text] !== '');
  const [only] = shown;
  if (only !== undefined && shown.length === 1) return only;
  const texts = shown.map((part, index) => {
    const before = shown[index - 1];
    if (part.kind === 'operator') return spacedOperator(part.text, before);
    return (before !== undefined && readAsOne(before, part) ? ' ' : '') + part.text;
  });
  const last = shown.at(-1)?.kind;
  return { text: texts.join(''), kind: last === 'script' || last === 'fraction' ? last : 'other' };
}

function spacedOperator(text: string, before: Part | undefined): string {
  if (SEPARATOR.test(text)) return `${text} `;
  const isPrefix = before === undefined || (before.kind === 'operator' && opensOperand(before.text));
  return !isPrefix && INFIX.test(text) ? ` ${text} ` : (INVISIBLE[text] ?? text);
}

function opensOperand(text: string): boolean {
  return INFIX.test(text) || OPENING.test(text) || SEPARATOR.test(text);
}

/** Whether two parts would be misread without a space: `sin x`, `x^2 y`, `2 3/4`. */
function readAsOne(before: Part, { text, kind }: Part): boolean {
  if (
    before.kind === 'operator' ||
    !/[\p{L}\p{M}\p{N}]$/u.test(before.text) ||
    !/^[\p{L}\p{N}]/u.test(text)
  ) {
    return false;
  }
  const isScripted = before.kind === 'script' || before.kind === 'fraction';
  return isScripted || kind === 'fraction' || /\p{L}{2}$/u.test(before.text) || /^\p{L}{2}/u.test(text);
}

const SIMPLE = /^[\p{L}\p{M}\p{N}.,]{1,40}$/u;

export function fraction(numerator: Part, denominator: Part): Part {
  if ([numerator, denominator].every(({ text }) => SIMPLE.test(text))) {
    return { text: `${numerator.text}/${denominator.text}`, kind: 'fraction' };
  }
  return command('frac', numerator, denominator);
}

export function root(radicand: Part, index: Part = NOTHING): Part {
  const degree = index.text.trim();
  return command(degree === '' ? 'sqrt' : `sqrt[${degree}]`, radicand);
}

const PRIMES = /^[′″‴'°∘]{1,4}$/u;
const SIMPLE_SCRIPT = /^(?:-?[\p{L}\p{M}\p{N}.,]{1,40}|[-+*])$/u;

/** A base with subscript and superscript. */
export function scripted(base: Part, lower: Part = NOTHING, upper: Part = NOTHING): Part {
  const marks = upper.text.trim();
  const above = PRIMES.test(marks) ? marks.replaceAll('∘', '°') : script('^', marks);
  return { text: asBase(base) + script('_', lower.text.trim()) + above, kind: 'script' };
}

function script(sign: string, text: string): string {
  if (text === '') return '';
  return sign + (SIMPLE_SCRIPT.test(text) ? text : `{${text}}`);
}

function asBase({ text, kind }: Part): string {
  if (kind === 'fraction') return `(${text})`;
  const isWhole = kind === 'atom' || kind === 'operator' || /^(?:\\.*|\(.*\)|\S?)$/s.test(text);
  return isWhole ? text : `{${text.trim()}}`;
}

/** LaTeX names of accents above a base, and of lines above or below a base, by character. */
const ACCENTS: Readonly<Record<string, string>> = {
  '^': 'hat',
  ˆ: 'hat',
  '~': 'tilde',
  '˜': 'tilde',
  '¯': 'bar',
  '‾': 'overline',
  '→': 'vec',
  '⃗': 'vec',
  '˙': 'dot',
  '¨': 'ddot',
  _: 'underline',
  '̲': 'underline',
};

/** Operators and functions with limits below and above. */
const WITH_LIMITS =
  /^(?:[\u220f-\u2211\u222b-\u2233\u22c0-\u22c3\u2a00-\u2a1c]|lim|lim ?sup|lim ?inf|max|min|sup|inf|arg ?max|arg ?min)$/u;

/** A base with parts directly below and above: limits of a sum, an accent. */
export function stacked(base: Part, lower: Part = NOTHING, upper: Part = NOTHING): Part {
  if (WITH_LIMITS.test(base.text.trim())) return scripted(base, lower, upper);
  const below = lower.text === '' ? base : accented(base, lower, 'underset');
  return upper.text === '' ? below : accented(below, upper, 'overset');
}

function accented(base: Part, mark: Part, otherwise: string): Part {
  const sign = mark.text.trim();
  const accent = Object.hasOwn(ACCENTS, sign) ? ACCENTS[sign] : undefined;
  return accent === undefined ? command(otherwise, mark, base) : command(accent, base);
}

/** Rows of cells. */
export function matrix(rows: readonly (readonly Part[])[]): Part {
  const lines = rows.map((cells) => cells.map(({ text }) => text.trim()).join(' & '));
  return { text: `\\begin{matrix} ${lines.join(' \\\\ ')} \\end{matrix}`, kind: 'other' };
}

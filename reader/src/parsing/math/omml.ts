import { attributeOf, element, elements, textOf, type XmlElement } from '../xml/xml-tree.js';
import {
  atom,
  command,
  fraction,
  matrix,
  NOTHING,
  operator,
  type Part,
  root,
  row,
  scripted,
  stacked,
  words,
} from './formula.js';

/**
 * Converts an Office Math formula (`m:oMath`; ECMA-376 part 1, section 22.1) to one line. Keeps the texts of the
 * formula as typed.
 *
 * @param math nested at most as deep as `parseXml` allows
 */
export function lineOfOfficeMath(math: XmlElement): string {
  return inside(math).text.replace(/\s+/g, ' ').trim();
}

/** Converts a group of formulas (`m:oMathPara`, `a14:m`) or a single formula (`m:oMath`) to one line per formula. */
export function linesOfOfficeMath(node: XmlElement): string {
  if (node.name === 'oMath') return lineOfOfficeMath(node);
  return elements(node)
    .filter(({ name }) => name === 'oMath' || name === 'oMathPara')
    .map(linesOfOfficeMath)
    .join('\n');
}

function inside(node: XmlElement | undefined): Part {
  if (node === undefined) return NOTHING;
  const parts: Part[] = [];
  let typed = '';
  const endTyped = (): void => {
    if (typed !== '') parts.push(typedPart(typed));
    typed = '';
  };
  for (const child of elements(node)) {
    const text = typedText(child);
    if (text !== undefined) typed += text;
    else {
      endTyped();
      parts.push(partOf(child));
    }
  }
  endTyped();
  return row(parts);
}

/** The typed text of a run; undefined for other elements, and for runs in another alphabet. */
function typedText(node: XmlElement): string | undefined {
  return node.name === 'r' && alphabetOf(node) === undefined ? textOfRun(node) : undefined;
}

function textOfRun(run: XmlElement): string {
  return elements(run)
    .map((part) => (part.name === 't' ? textOf(part) : part.name === 'br' || part.name === 'tab' ? ' ' : ''))
    .join('');
}

const ONE_OPERAND = /^[\p{L}\p{M}\p{N}.,]+$/u;

function typedPart(text: string): Part {
  return { text, kind: ONE_OPERAND.test(text) ? 'atom' : 'other' };
}

/** Mathematical alphabets. An alphabet changes the meaning of a letter. */
const ALPHABETS: Readonly<Record<string, string>> = {
  'double-struck': 'mathbb',
  script: 'mathcal',
  fraktur: 'mathfrak',
};

function alphabetOf(run: XmlElement): string | undefined {
  return ALPHABETS[property(run, 'r', 'scr') ?? ''];
}

/** A property of an element: the `m:val` of `m:fPr/m:type` for `property(fraction, 'f', 'type')`. */
function property(node: XmlElement, kind: string, name: string): string | undefined {
  const found = element(element(node, `${kind}Pr`), name);
  return found === undefined ? undefined : (attributeOf(found, 'm', 'val') ?? '');
}

function isOff(value: string | undefined): boolean {
  return value !== undefined && ['0', 'off', 'false'].includes(value);
}

const child = (node: XmlElement, name: string): Part => inside(element(node, name));

type Writer = (node: XmlElement) => Part;

const WRITERS: ReadonlyMap<string, Writer> = new Map(
  Object.entries<Writer>({
    r: (node) => command(alphabetOf(node) ?? 'mathrm', atom(textOfRun(node))),
    f: fractionOf,
    rad: (node) => root(child(node, 'e'), child(node, 'deg')),
    sSup: (node) => scripted(child(node, 'e'), NOTHING, child(node, 'sup')),
    sSub: (node) => scripted(child(node, 'e'), child(node, 'sub')),
    sSubSup: (node) => scripted(child(node, 'e'), child(node, 'sub'), child(node, 'sup')),
    sPre: (node) => {
      const scripts = scripted(NOTHING, child(node, 'sub'), child(node, 'sup')).text;
      return { text: `{}${scripts} ${child(node, 'e').text}`, kind: 'script' };
    },
    nary: (node) => {
      const sign = operator(property(node, 'nary', 'chr') ?? '∫');
      return row([scripted(sign, child(node, 'sub'), child(node, 'sup')), words(''), child(node, 'e')]);
    },
    d: delimited,
    m: (node) => matrix(elements(node, 'mr').map((line) => elements(line, 'e').map(inside))),
    eqArr: equations,
    acc: (node) => accented(node, property(node, 'acc', 'chr') ?? '\u0302'),
    bar: (node) =>
      command(property(node, 'bar', 'pos') === 'top' ? 'overline' : 'underline', child(node, 'e')),
    groupChr: grouped,
    limLow: (node) => stacked(child(node, 'e'), child(node, 'lim')),
    limUpp: (node) => stacked(child(node, 'e'), NOTHING, child(node, 'lim')),
    func: (node) => {
      const argument = child(node, 'e');
      const gap = /^\s*[([{|]/.test(argument.text) ? [] : [words('')];
      return row([child(node, 'fName'), ...gap, argument]);
    },
    phant: (node) => (isOff(property(node, 'phant', 'show')) ? NOTHING : child(node, 'e')),
    t: (node) => typedPart(textOf(node)),
    del: () => NOTHING,
    moveFrom: () => NOTHING,
  }),
);

function partOf(node: XmlElement): Part {
  if (node.name.endsWith('Pr')) return NOTHING;
  return WRITERS.get(node.name)?.(node) ?? inside(node);
}

function fractionOf(node: XmlElement): Part {
  const [numerator, denominator] = [child(node, 'num'), child(node, 'den')];
  if (property(node, 'f', 'type') !== 'noBar') return fraction(numerator, denominator);
  return { text: `{${numerator.text} \\atop ${denominator.text}}`, kind: 'other' };
}

function delimited(node: XmlElement): Part {
  const parts = elements(node, 'e').map((operand) => inside(operand).text);
  const sign = (name: string, usual: string): string => property(node, 'd', name) ?? usual;
  return {
    text: sign('begChr', '(') + parts.join(sign('sepChr', '|')) + sign('endChr', ')'),
    kind: 'other',
  };
}

/** Stacked equations. `&` aligns them, and `#` precedes their number. */
function equations(node: XmlElement): Part {
  const lines = elements(node, 'e').map((line): Part => {
    const { text } = inside(line);
    return { text: text.replaceAll('&', '').replace('#', ' '), kind: 'other' };
  });
  const [only] = lines;
  return lines.length === 1 && only !== undefined ? only : matrix(lines.map((line) => [line]));
}

/** Spacing forms of accents, by combining character. Formulas are written with the spacing forms. */
const SIGNS: Readonly<Record<string, string>> = {
  '\u0302': '^',
  '\u0303': '~',
  '\u0304': '¯',
  '\u0305': '‾',
  '\u0307': '˙',
  '\u0308': '¨',
  '\u20d7': '→',
};

/** LaTeX commands of accents without a spacing form, by combining character. */
const COMMANDS: Readonly<Record<string, string>> = {
  '\u0300': 'grave',
  '\u0301': 'acute',
  '\u0306': 'breve',
  '\u030c': 'check',
  '\u20db': 'dddot',
  '\u23de': 'overbrace',
  '\u23df': 'underbrace',
};

function accented(node: XmlElement, sign: string, isAbove = true): Part {
  const base = child(node, 'e');
  const name = COMMANDS[sign];
  if (name !== undefined) return command(name, base);
  const mark = operator(SIGNS[sign] ?? sign);
  return isAbove ? stacked(base, NOTHING, mark) : stacked(base, mark);
}

function grouped(node: XmlElement): Part {
  const sign = property(node, 'groupChr', 'chr') ?? '\u23df';
  return accented(node, sign, property(node, 'groupChr', 'pos') === 'top');
}

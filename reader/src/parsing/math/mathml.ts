import { elements, textOf, type XmlElement } from '../xml/xml-tree.js';
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
 * Converts MathML to one line. Uses the LaTeX annotation if there is one.
 *
 * @param math nested at most as deep as `parseXml` allows
 */
export function lineOfMath(math: XmlElement): string {
  return partOf(math).text.replace(/\s+/g, ' ').trim();
}

function partOf(node: XmlElement): Part {
  const write = WRITERS.get(node.name);
  if (write !== undefined) return write(node);
  const layout = LAYOUTS.get(node.name);
  if (layout === undefined) return inside(node);
  const parts = elements(node).map(partOf);
  return row([layout.write(...parts.slice(0, layout.places)), ...parts.slice(layout.places)]);
}

/** An element with positional children. Surplus children of invalid elements are appended. */
interface Layout {
  readonly places: number;
  readonly write: (first?: Part, second?: Part, third?: Part) => Part;
}

const LAYOUTS: ReadonlyMap<string, Layout> = new Map(
  Object.entries<Layout>({
    mfrac: {
      places: 2,
      write: (numerator = NOTHING, denominator = NOTHING) => fraction(numerator, denominator),
    },
    mroot: { places: 2, write: (radicand = NOTHING, index) => root(radicand, index) },
    msub: { places: 2, write: (base = NOTHING, lower) => scripted(base, lower) },
    msup: { places: 2, write: (base = NOTHING, upper) => scripted(base, NOTHING, upper) },
    msubsup: { places: 3, write: (base = NOTHING, lower, upper) => scripted(base, lower, upper) },
    munder: { places: 2, write: (base = NOTHING, lower) => stacked(base, lower) },
    mover: { places: 2, write: (base = NOTHING, upper) => stacked(base, NOTHING, upper) },
    munderover: { places: 3, write: (base = NOTHING, lower, upper) => stacked(base, lower, upper) },
  }),
);

type Writer = (node: XmlElement) => Part;

const WRITERS: ReadonlyMap<string, Writer> = new Map(
  Object.entries<Writer>({
    mi: identifier,
    mn: (node) => atom(textOf(node)),
    ci: (node) => atom(textOf(node)),
    cn: (node) => atom(textOf(node)),
    mo: (node) => operator(textOf(node)),
    mtext: (node) => words(textOf(node)),
    ms: (node) => words(`"${textOf(node)}"`),
    mspace: () => words(''),
    none: () => NOTHING,
    mphantom: () => NOTHING,
    'annotation-xml': () => NOTHING,
    annotation: () => NOTHING,
    msqrt: (node) => root(inside(node)),
    menclose: (node) => (node.attributes['notation'] === 'radical' ? root(inside(node)) : inside(node)),
    mmultiscripts: multiscripts,
    mfenced: fenced,
    mtable: (node) => matrix(elements(node).map((line) => elements(line).map(partOf))),
    maction: (node) => {
      const chosen = Number(node.attributes['selection'] ?? 1);
      return partOfAny(elements(node)[chosen - 1] ?? elements(node)[0]);
    },
    semantics: (node) => latexOf(node) ?? partOfAny(elements(node)[0]),
    apply: applied,
  }),
);

function partOfAny(node: XmlElement | undefined): Part {
  return node === undefined ? NOTHING : partOf(node);
}

function inside(node: XmlElement): Part {
  return row(node.children.map((child) => (typeof child === 'string' ? atom(child) : partOf(child))));
}

/** Mathematical alphabets. An alphabet changes the meaning of a letter. */
const ALPHABETS: Readonly<Record<string, string>> = {
  'double-struck': 'mathbb',
  script: 'mathcal',
  fraktur: 'mathfrak',
};

function identifier(node: XmlElement): Part {
  const name = atom(textOf(node));
  const alphabet = ALPHABETS[node.attributes['mathvariant'] ?? ''];
  return alphabet === undefined ? name : command(alphabet, name);
}

/** `<mprescripts/>` separates postscripts from prescripts; both come in pairs. */
function multiscripts(node: XmlElement): Part {
  const [base, ...others] = elements(node);
  const middle = others.findIndex(({ name }) => name === 'mprescripts');
  const behind = middle < 0 ? others : others.slice(0, middle);
  const before = middle < 0 ? [] : others.slice(middle + 1);
  const [lower, upper] = [columnOf(behind, 0), columnOf(behind, 1)];
  const scripts = scripted(NOTHING, columnOf(before, 0), columnOf(before, 1));
  const whole = scripted(partOfAny(base), lower, upper);
  return { text: scripts.text === '' ? whole.text : `{}${scripts.text} ${whole.text}`, kind: 'script' };
}

function columnOf(scripts: readonly XmlElement[], column: 0 | 1): Part {
  return row(scripts.filter((_, index) => index % 2 === column).map(partOf));
}

function fenced(node: XmlElement): Part {
  const { open = '(', close = ')', separators = ',' } = node.attributes;
  const signs = Array.from(separators.replace(/\s/g, ''));
  const parts = elements(node).flatMap((child, index) => {
    const sign = signs[Math.min(index, signs.length) - 1];
    return [...(sign === undefined ? [] : [operator(sign)]), partOf(child)];
  });
  return { text: open + row(parts).text + close, kind: 'other' };
}

const LATEX = /^(?:application\/x-|text\/)?(?:la)?tex$/i;

/** The LaTeX annotation without the style wrappers of converters. */
function latexOf(node: XmlElement): Part | undefined {
  const annotation = elements(node, 'annotation').find(({ attributes }) =>
    LATEX.test(attributes['encoding'] ?? ''),
  );
  const source = annotation === undefined ? '' : textOf(annotation).trim();
  const [, inner = source] = /^\{\\(?:display|text)style\s+(.*)\}$/s.exec(source) ?? [];
  return inner === '' ? undefined : { text: inner.trim(), kind: 'other' };
}

/** An operation of content markup, named by an empty element: `plus(x, 2)`. */
function applied(node: XmlElement): Part {
  const [operation, ...operands] = elements(node);
  const name = operation === undefined ? '' : partOf(operation).text || operation.name;
  const list = operands.map((operand) => partOf(operand).text).filter((text) => text !== '');
  return { text: `${name}(${list.join(', ')})`, kind: 'other' };
}

import { parseFragment } from 'parse5';
import { align, alignmentsOf } from './alignments.js';
import {
  attribute,
  type HtmlElement,
  type HtmlNode,
  type HtmlParent,
  isElement,
  isText,
  rawTextOf,
  textNode,
} from './html-tree.js';

/** Elements without readable text: scripts, styles, navigation, media. */
const NON_CONTENT = new Set(
  'script style noscript template canvas object embed audio video nav datalist rp head'.split(' '),
);

const NOT_RENDERED = new Set('defs symbol desc metadata clipPath mask pattern marker'.split(' '));

/** Maximum nesting depth of inline frames. */
const MAX_INNER_PAGES = 3;

/**
 * Reduces a page to its visible content: removes hidden and deleted elements, joins fractions written with superscripts
 * and subscripts, and inlines embedded pages. Iterative except for embedded pages, because elements can be nested at
 * any depth.
 */
export function keepVisible(page: HtmlParent): void {
  reduce(page, { alignments: alignmentsOf(page), meanings: new Set(), innerPages: 0 });
}

interface Reduction {
  readonly alignments: ReadonlyMap<string, string>;
  /** Abbreviations already explained. */
  readonly meanings: Set<string>;
  /** Number of pages around this page. */
  readonly innerPages: number;
}

function reduce(page: HtmlParent, reduction: Reduction): void {
  const waiting: HtmlParent[] = [page];
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    if (!parent.childNodes.every(isVisible)) parent.childNodes = parent.childNodes.filter(isVisible);
    if (parent.childNodes.some(({ nodeName }) => nodeName === 'sup')) {
      parent.childNodes = withFractions(parent.childNodes, parent);
    }
    for (const child of parent.childNodes) {
      if (!isElement(child)) continue;
      align(child, reduction.alignments);
      if (child.tagName === 'abbr') expand(child, reduction.meanings);
      if (child.tagName === 'iframe') embedPage(child, reduction);
      else if (child.childNodes.length > 0) waiting.push(child);
    }
  }
}

function isVisible(node: HtmlNode): boolean {
  if (!isElement(node)) return isText(node);
  const { tagName } = node;
  if (NON_CONTENT.has(tagName) || NOT_RENDERED.has(tagName) || tagName === 'del') return false;
  if (tagName === 'button') return opensText(node);
  if (node.attrs.length === 0) return true;
  const hidden = attribute(node, 'hidden');
  return (
    (hidden === undefined || hidden.toLowerCase() === 'until-found') &&
    attribute(node, 'aria-hidden') !== 'true' &&
    !/^(?:navigation|doc-pagebreak)$/.test(attribute(node, 'role') ?? '') &&
    attribute(node, 'epub:type') !== 'pagebreak' &&
    !HIDING.test(attribute(node, 'style') ?? '')
  );
}

const HIDING = /(?:^|[;\s])(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}(?:hidden|collapse))\b/i;

/** Whether a button is a heading that expands text. All other buttons are controls. */
function opensText(button: HtmlElement): boolean {
  const { parentNode } = button;
  const isHeading = parentNode !== null && /^(?:h[1-6]|summary|dt)$/.test(parentNode.nodeName);
  return isHeading || attribute(button, 'aria-expanded') !== undefined;
}

function embedPage(frame: HtmlElement, reduction: Reduction): void {
  const source = attribute(frame, 'srcdoc');
  frame.childNodes = [];
  if (source === undefined || reduction.innerPages >= MAX_INNER_PAGES) return;
  frame.childNodes = parseFragment(source).childNodes;
  reduce(frame, { ...reduction, innerPages: reduction.innerPages + 1 });
}

/** Appends the meaning of an abbreviation to its first occurrence. */
function expand(abbreviation: HtmlElement, known: Set<string>): void {
  const meaning = attribute(abbreviation, 'title')?.trim() ?? '';
  if (meaning === '' || known.has(meaning)) return;
  known.add(meaning);
  abbreviation.childNodes.push(textNode(` (${meaning})`, abbreviation));
}

const FRACTION_BAR = /^\s*[⁄∕/]\s*$/;
const FIGURES = /^\s*\d{1,10}\s*$/;

/** Converts `<sup>3</sup>⁄<sub>4</sub>` to `3/4`, with a space after preceding digits. */
function withFractions(nodes: readonly HtmlNode[], parent: HtmlParent): HtmlNode[] {
  const joined: HtmlNode[] = [];
  for (let index = 0; index < nodes.length; index += 1) {
    const node = nodes[index];
    if (node === undefined) break;
    const fraction = fractionOf(node, nodes[index + 1], nodes[index + 2]);
    if (fraction === undefined) {
      joined.push(node);
      continue;
    }
    const before = joined.at(-1);
    const space = before !== undefined && isText(before) && /\d$/.test(before.value) ? ' ' : '';
    joined.push(textNode(space + fraction, parent));
    index += 2;
  }
  return joined;
}

function fractionOf(
  above: HtmlNode,
  bar: HtmlNode | undefined,
  below: HtmlNode | undefined,
): string | undefined {
  if (above.nodeName !== 'sup' || below?.nodeName !== 'sub' || bar === undefined) return undefined;
  if (!FRACTION_BAR.test(rawTextOf(bar))) return undefined;
  const [numerator, denominator] = [rawTextOf(above), rawTextOf(below)];
  return FIGURES.test(numerator) && FIGURES.test(denominator)
    ? `${numerator.trim()}/${denominator.trim()}`
    : undefined;
}

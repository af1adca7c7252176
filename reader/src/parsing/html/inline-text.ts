import { lowered, raised } from '../notation.js';
import { alignmentOf } from './alignments.js';
import { lineOfHtmlMath } from './html-math.js';
import {
  attribute,
  BLOCKS,
  elementsOf,
  type HtmlElement,
  type HtmlNode,
  isElement,
  isText,
  rawTextOf,
} from './html-tree.js';

/** Maximum nesting depth of superscripts and subscripts. */
const MAX_SCRIPTS = 8;

/** Text of a node on one line, with collapsed white space. */
export function lineOf(root: HtmlNode): string {
  return textOf(root, 0).replace(/\s+/g, ' ').trim();
}

/** Text of an element with significant white space. */
export function verbatimOf(root: HtmlElement): string {
  return textOf(root, 0, true);
}

/**
 * Collects the text of a node. Iterative except for superscripts and subscripts, because pages can be nested at any
 * depth.
 */
function textOf(root: HtmlNode, scripts: number, verbatim = false): string {
  const parts: string[] = [];
  const waiting: (HtmlNode | string)[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node === 'string') parts.push(node);
    else if (isText(node)) parts.push(shown(node.value));
    else if (isElement(node)) {
      const own = node === root && scripts > 0 ? undefined : wholeText(node, scripts);
      if (own !== undefined) {
        parts.push(own);
        continue;
      }
      const [before, after] = around(node, verbatim);
      parts.push(before);
      waiting.push(after);
      for (const child of node.childNodes.toReversed()) waiting.push(child);
    }
  }
  return parts.join('');
}

/** Text before and after the content of an element. */
function around(element: HtmlElement, verbatim: boolean): readonly [string, string] {
  const { tagName } = element;
  const marks = marksOf(element);
  if (marks !== undefined) return marks;
  if (verbatim) return tagName === 'br' ? ['\n', ''] : ['', ''];
  return BLOCKS.has(tagName) || tagName === 'li' || tagName === 'br' ? [' ', ' '] : ['', ''];
}

const STRUCK = /(?:^|[;\s])text-decoration(?:-line)?\s{0,9}:[^;]{0,40}line-through/i;

function isStruck(style: string | undefined): boolean {
  return style !== undefined && STRUCK.test(style);
}

/** Marks that a browser prints around an element: quotation marks, strikethrough, ruby annotations. */
export function marksOf(element: HtmlElement): readonly [string, string] | undefined {
  switch (element.tagName) {
    case 'q':
      return ['“', '”'];
    case 'rt':
      return ['(', ')'];
    case 's':
    case 'strike':
      return ['~~', '~~'];
    case 'tspan': // a span of SVG text with its own position starts a line
      return attribute(element, 'x') === undefined ? undefined : [' ', ''];
    default:
      return isStruck(attribute(element, 'style')) ? ['~~', '~~'] : undefined;
  }
}

/** Text as a browser shows it: soft hyphens are invisible. */
export function shown(text: string): string {
  return text.includes('\u00ad') ? text.replaceAll('\u00ad', '') : text;
}

/**
 * Returns the text of a picture, formula, superscript, subscript or form field as one unit; undefined for other
 * elements.
 *
 * @param scripts nesting depth of superscripts and subscripts around the element
 */
export function wholeText(element: HtmlElement, scripts = 0): string | undefined {
  switch (element.tagName) {
    case 'img':
      return attribute(element, 'alt') ?? '';
    case 'math':
      return lineOfHtmlMath(element);
    case 'input':
      return fieldText(element);
    case 'select':
      return selectedText(element);
    case 'textarea':
      return ` ${rawTextOf(element).trim()} `;
    case 'a':
      return isNoteReference(element) ? noteNumber(rawTextOf(element)) : undefined;
    case 'sup':
      return scriptText(element, 'super', scripts);
    case 'sub':
      return scriptText(element, 'sub', scripts);
    default: {
      const alignment = alignmentOf(element);
      return alignment === undefined ? undefined : scriptText(element, alignment, scripts);
    }
  }
}

function scriptText(element: HtmlElement, alignment: string, scripts: number): string | undefined {
  if (scripts >= MAX_SCRIPTS) return undefined;
  if (isNoteReference(element) || isLinkToNote(element)) return noteNumber(rawTextOf(element));
  return (alignment === 'super' ? raised : lowered)(textOf(element, scripts + 1));
}

function noteNumber(text: string): string {
  const number = text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^[[(]|[\])]$/g, '');
  return number === '' ? '' : `[${number}]`;
}

const NOTE_CLASS = /(?:^|[\s_-])(?:footnote|endnote|noteref|fnref|footnote-?ref|reference)(?:$|[\s_-])/i;

function isNoteReference(element: HtmlElement): boolean {
  if (element.tagName !== 'a' && element.tagName !== 'sup' && element.tagName !== 'span') return false;
  return (
    attribute(element, 'role') === 'doc-noteref' ||
    attribute(element, 'epub:type')?.split(/\s+/).includes('noteref') === true ||
    (element.tagName === 'sup' && NOTE_CLASS.test(attribute(element, 'class') ?? ''))
  );
}

/** A superscript that only links within the page. */
function isLinkToNote(element: HtmlElement): boolean {
  const [link, ...others] = Array.from(elementsOf(element)).filter(({ tagName }) => tagName === 'a');
  return (
    link !== undefined &&
    others.length === 0 &&
    attribute(link, 'href')?.includes('#') === true &&
    rawTextOf(link).trim() === rawTextOf(element).trim()
  );
}

const BOXES = /^(?:checkbox|radio)$/;
const WITHOUT_TEXT = /^(?:hidden|password|file|image|submit|reset|button|range|color)$/;

function fieldText(input: HtmlElement): string {
  const type = attribute(input, 'type')?.toLowerCase() ?? 'text';
  if (BOXES.test(type)) return attribute(input, 'checked') === undefined ? '[ ] ' : '[x] ';
  return WITHOUT_TEXT.test(type) ? '' : ` ${attribute(input, 'value') ?? ''} `;
}

/** A list box shows all options. A drop-down list shows the selected option, or else the first option. */
function selectedText(select: HtmlElement): string {
  const options = Array.from(elementsOf(select)).filter(({ tagName }) => tagName === 'option');
  const selected = options.filter((option) => attribute(option, 'selected') !== undefined);
  const isOpen = attribute(select, 'multiple') !== undefined || Number(attribute(select, 'size') ?? 1) > 1;
  const visible = selected.length > 0 ? selected : options.slice(0, isOpen ? options.length : 1);
  const texts = visible.map((option) => rawTextOf(option).replace(/\s+/g, ' ').trim());
  return ` ${texts.join(', ')} `;
}

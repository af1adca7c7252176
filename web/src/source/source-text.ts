import { findQuote } from '../../../src/lexical/find-quote.js';
import { documentTree, type AnswerElement, type AnswerNode } from '../ask/answer-tree.js';
import type { Span } from '../passages/marks.js';

/**
 * Maximum length of a text that is shown whole, in UTF-16 code units. Rendering a longer text takes seconds, so only a
 * part is shown.
 */
export const MAX_SHOWN = 60_000;

/** How a text is rendered. */
type TextForm = 'markdown' | 'code' | 'plain' | 'wrapped lines';

/**
 * Chooses the rendering.
 *
 * @param textType media type of the text
 * @param contentType media type of the file
 */
export function formOf(textType: string, contentType: string): TextForm {
  if (contentType === 'application/pdf') return 'wrapped lines';
  if (textType === 'text/markdown') return 'markdown';
  return textType === 'text/plain' ? 'plain' : 'code';
}

/** The part of a long text around a passage, cut between paragraphs or lines. */
export function partAround(text: string, passage: Span | null): Span {
  if (text.length <= MAX_SHOWN) return { start: 0, end: text.length };
  const middle = passage?.start ?? 0;
  const from = Math.max(0, middle - MAX_SHOWN / 2);
  const to = Math.min(text.length, from + MAX_SHOWN);
  const line = text.indexOf('\n', from);
  const paragraph = text.indexOf('\n\n', from);
  const cut =
    paragraph !== -1 && paragraph < middle ? paragraph + 2 : line !== -1 && line < middle ? line + 1 : from;
  return { start: from === 0 ? 0 : cut, end: to };
}

/** Renders a text with a quotation marked. */
export function sourceTree(text: string, form: TextForm, quote: string | null): AnswerNode[] {
  const nodes = nodesOf(text, form);
  return quote === null ? nodes : withMarks(nodes, quote);
}

function nodesOf(text: string, form: TextForm): AnswerNode[] {
  if (form === 'markdown') return documentTree(text);
  if (form === 'code') return [element('pre', [element('code', [text])])];
  return text
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => element('p', [form === 'wrapped lines' ? unwrapped(paragraph) : paragraph]));
}

/** A line counts as wrapped if it has at least this share of the longest line's length. */
const FULL_LINE = 0.7;
/** If all lines of a paragraph are shorter, as in an address, none counts as wrapped. */
const MIN_LINE = 40;

/** Joins lines that were wrapped at the margin of a page. Rows of tables, short lines and lists keep their lines. */
export function unwrapped(paragraph: string): string {
  const lines = paragraph.split('\n');
  const longest = Math.max(...lines.map((line) => line.length));
  return lines.reduce((joined, line, index) => {
    const before = lines[index - 1];
    if (before === undefined) return line;
    const isWrapped =
      longest >= MIN_LINE &&
      before.length >= longest * FULL_LINE &&
      !/\S {2,}\S/.test(`${before}\n${line}`) &&
      !/^\s*(?:[•·▪–—*-]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s/.test(line);
    if (!isWrapped) return `${joined}\n${line}`;
    return /\p{L}-$/u.test(before) ? joined + line : `${joined} ${line}`;
  });
}

/** A word of a text node: the index of the node, and the span in it. */
interface LeafWord extends Span {
  readonly leaf: number;
}

function withMarks(nodes: readonly AnswerNode[], quote: string): AnswerNode[] {
  const words: LeafWord[] = [];
  const texts: string[] = [];
  for (const [leaf, text] of leavesOf(nodes).entries()) {
    for (const { 0: word, index } of text.matchAll(/\S+/g)) {
      words.push({ leaf, start: index, end: index + word.length });
      texts.push(word);
    }
  }
  const spans = new Map<number, Span[]>();
  for (const { first, last } of findQuote(texts, quote)) {
    for (const { leaf, start, end } of words.slice(first, last + 1)) {
      const found = spans.get(leaf) ?? [];
      const before = found.at(-1);
      // Adjacent words get one mark, which includes the space between them.
      if (before !== undefined && start - before.end <= 1)
        found[found.length - 1] = { start: before.start, end };
      else found.push({ start, end });
      spans.set(leaf, found);
    }
  }
  let leaf = -1;
  const marked = (node: AnswerNode): AnswerNode[] => {
    if (typeof node !== 'string') {
      return 'tag' in node ? [{ ...node, children: node.children.flatMap(marked) }] : [node];
    }
    leaf += 1;
    return markedText(node, spans.get(leaf) ?? []);
  };
  return nodes.flatMap(marked);
}

function leavesOf(nodes: readonly AnswerNode[]): string[] {
  return nodes.flatMap((node) => {
    if (typeof node === 'string') return [node];
    return 'tag' in node ? leavesOf(node.children) : [];
  });
}

function markedText(text: string, spans: readonly Span[]): AnswerNode[] {
  const parts: AnswerNode[] = [];
  let end = 0;
  for (const span of spans) {
    parts.push(
      text.slice(end, span.start),
      element('mark', [text.slice(span.start, span.end)], { 'data-quote': '' }),
    );
    end = span.end;
  }
  return [...parts, text.slice(end)].filter((part) => part !== '');
}

function element(
  tag: string,
  children: readonly AnswerNode[],
  attributes: AnswerElement['attributes'] = {},
): AnswerElement {
  return { tag, attributes, children };
}

import MarkdownIt, { type Token } from 'markdown-it';
import type { Citation } from './answer.js';

/** A part of an answer as it is shown. */
export type AnswerNode = string | AnswerElement | { readonly citation: Citation };

export interface AnswerElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly AnswerNode[];
}

type Words = (text: string) => AnswerNode[];

// Tokens become elements one by one, never HTML: what is HTML in an answer is shown as it was written.
const markdown = new MarkdownIt({ html: true, breaks: true, linkify: true }).disable([
  'html_block', // Markdown inside is read
  'reference', // shows nothing at its own place
  'code', // quotes keep their indentation
  'lheading', // the first dash of a list would turn the line above into a heading while it streams
]);
markdown.validateLink = (url) => /^https?:\/\//i.test(url);
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false }); // notes.md is a file

/** Stands on either side of a citation's number while Markdown is read; punctuation, as the brackets of a marker are. */
const SIGN = '\uFFFC';
const SIGNED = new RegExp(`${SIGN}(\\d+)${SIGN}`);
/** Markers behind the last cell of a row, where a table would drop them. */
const BEHIND_ROW = new RegExp(`^([ \\t>]*\\|.*)\\|[ \\t]*((?:${SIGN}\\d+${SIGN}[ \\t]*)+)$`, 'gm');

/**
 * The Markdown of an answer, whole or as far as it has come, with every citation once, where its marker stands. Markers
 * are taken out before Markdown is read: a file name may hold its signs, and code and tables are no bar to a citation.
 */
export function answerTree(text: string, citations: readonly Citation[]): AnswerNode[] {
  const placed = new Set<Citation>();
  const words: Words = (signed) =>
    signed.split(SIGNED).flatMap((part, index): AnswerNode[] => {
      if (index % 2 === 0) return part === '' ? [] : [part];
      const citation = citations[Number(part)];
      if (citation === undefined) return [];
      placed.add(citation);
      return [{ citation }];
    });
  const nodes = nodesOf(markdown.parse(withSigns(text, citations), {}), words);
  // Markers in what is not shown, such as the title of a link.
  const left = citations.filter((citation) => !placed.has(citation)).map((citation) => ({ citation }));
  return left.length === 0 ? nodes : [...nodes, element('p', left)];
}

function withSigns(text: string, citations: readonly Citation[]): string {
  const plain = text.replaceAll(SIGN, ' ');
  let signed = '';
  let end = 0;
  for (const [index, citation] of citations.entries()) {
    signed += `${plain.slice(end, citation.start)}${SIGN}${index}${SIGN}`;
    end = citation.end;
  }
  return (signed + plain.slice(end)).replaceAll(BEHIND_ROW, '$1 $2|');
}

function nodesOf(tokens: readonly Token[], words: Words): AnswerNode[] {
  const nodes: AnswerNode[] = [];
  const open: { readonly token: Token; readonly nodes: AnswerNode[] }[] = [];
  for (const token of tokens) {
    if (token.nesting === 1) {
      open.push({ token, nodes: [] });
      continue;
    }
    const closed = token.nesting === -1 ? open.pop() : undefined;
    const made = closed === undefined ? leaf(token, words) : elementOf(closed.token, closed.nodes);
    (open.at(-1)?.nodes ?? nodes).push(...made);
  }
  return nodes;
}

function leaf(token: Token, words: Words): AnswerNode[] {
  const { type, content, children } = token;
  if (type === 'inline') return nodesOf(children ?? [], words);
  if (type === 'softbreak' || type === 'hardbreak') return [element('br')];
  if (type === 'html_inline' && /^<br ?\/?>$/i.test(content)) return [element('br')];
  if (type === 'hr') return [element('hr')];
  if (type === 'code_inline') return [element('code', words(content))];
  if (type === 'fence') return [element('pre', [element('code', words(content))])];
  return words(content); // text, HTML, and what an image is called: nothing is loaded
}

function elementOf(token: Token, children: readonly AnswerNode[]): readonly AnswerNode[] {
  const { tag, hidden } = token;
  // A paragraph of a tight list; a link to nowhere, which no validator sees; a link cannot hold the links of citations.
  if (hidden || (tag === 'a' && (!token.attrGet('href') || children.some(holdsCitation)))) return children;
  const attributes = (token.attrs ?? []).filter(([name]) => ['href', 'start', 'style'].includes(name));
  return [element(tag, children, Object.fromEntries(attributes))];
}

function element(
  tag: string,
  children: readonly AnswerNode[] = [],
  attributes: AnswerElement['attributes'] = {},
): AnswerElement {
  return { tag, attributes, children };
}

function holdsCitation(node: AnswerNode): boolean {
  return typeof node !== 'string' && ('citation' in node || node.children.some(holdsCitation));
}

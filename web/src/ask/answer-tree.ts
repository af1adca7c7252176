import MarkdownIt, { type Token } from 'markdown-it';
import type { Citation } from '../api/lectern.js';
import { BLOCK_FORMULA, formulas, INLINE_FORMULA } from './formulas.js';

export interface AnswerFormula {
  /** The formula in TeX. */
  readonly formula: string;
  readonly isBlock: boolean;
}

export type AnswerNode = string | AnswerElement | AnswerFormula | { readonly citation: Citation };

export interface AnswerElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly AnswerNode[];
}

type Words = (text: string) => AnswerNode[];

// Every token becomes an element, and never HTML, so HTML in an answer is shown as text.
function reader(): ReturnType<typeof MarkdownIt> {
  const markdown = new MarkdownIt({ html: true, breaks: true, linkify: true }).disable([
    'html_block', // so that Markdown inside HTML is rendered
    'reference', // a reference definition would hide its text
    'code', // an indented quotation would become code
    'lheading', // while streaming, the first dash of a list would turn the line above into a heading
  ]);
  markdown.validateLink = (url) => /^https?:\/\//i.test(url);
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false }); // notes.md is a file, not a host
  return markdown;
}

/**
 * Encloses a citation number while Markdown is parsed. The parser counts this character as punctuation, like the
 * brackets of a marker.
 */
const SIGN = '\uFFFC';
const SIGNED = new RegExp(`${SIGN}(\\d+)${SIGN}`);
const ofDocuments = reader();
const ofAnswers = reader().use(formulas, (tex: string) => tex.trim() !== '' && !tex.includes(SIGN));
/** Matches markers after the last cell of a table row. The parser would drop these markers. */
const BEHIND_ROW = new RegExp(`^([ \\t>]*\\|.*)\\|[ \\t]*((?:${SIGN}\\d+${SIGN}[ \\t]*)+)$`, 'gm');

/**
 * Renders the Markdown of a complete or streaming answer, with every citation once at its marker. Markers are replaced
 * before parsing, because file names may contain Markdown syntax, and code and tables may contain citations.
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
  const nodes = nodesOf(ofAnswers.parse(withSigns(text, citations), {}), words);
  // Citations whose markers were not rendered, for example in link titles, go to the end.
  const left = citations.filter((citation) => !placed.has(citation)).map((citation) => ({ citation }));
  return left.length === 0 ? nodes : [...nodes, element('p', left)];
}

/** Renders the Markdown of a document. Dollars stay as they are, so that quotes are found in the text. */
export function documentTree(text: string): AnswerNode[] {
  return nodesOf(ofDocuments.parse(text, {}), (words) => (words === '' ? [] : [words]));
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
  const { type, content, children, info } = token;
  if (type === 'inline') return nodesOf(children ?? [], words);
  if (type === 'softbreak' || type === 'hardbreak') return [element('br')];
  if (type === 'html_inline' && /^<br ?\/?>$/i.test(content)) return [element('br')];
  if (type === 'hr') return [element('hr')];
  if (type === 'code_inline') return [element('code', words(content))];
  if (type === INLINE_FORMULA) return [{ formula: content, isBlock: false }];
  if (type === BLOCK_FORMULA) return [{ formula: content, isBlock: true }];
  if (type === 'fence') {
    const language = /^[\w+#-]*/.exec(info.trim())?.[0] ?? '';
    const code = element('code', words(content), language === '' ? {} : { language });
    return [element('pre', [code])];
  }
  return words(content); // text, HTML, and image descriptions: nothing is loaded
}

function elementOf(token: Token, children: readonly AnswerNode[]): readonly AnswerNode[] {
  const { tag, hidden } = token;
  // A paragraph in a tight list, a rejected link and a link with citations are rendered as their content only. Citations
  // are links, which cannot be nested.
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
  if (typeof node === 'string' || 'formula' in node) return false;
  return 'citation' in node || node.children.some(holdsCitation);
}

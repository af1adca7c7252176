import { parse } from 'parse5';
import { markdownTable } from '../markdown-table.js';
import type { Parser } from '../parser.js';
import { dataTableOf } from './html-table.js';
import {
  attribute,
  BLOCKS,
  elementsOf,
  type HtmlElement,
  type HtmlNode,
  type HtmlParent,
  isElement,
  isText,
} from './html-tree.js';
import { lineOf, marksOf, shown, verbatimOf, wholeText } from './inline-text.js';
import { ListMarkers } from './list-marker.js';
import { keepVisible } from './visible-tree.js';

/** Converts a web page to Markdown. Keeps headings, lists and tables; drops scripts, styles and navigation. */
export const parseHtml: Parser = ({ text }) => {
  const { markdown, ...properties } = htmlToMarkdown(text ?? '');
  return { text: markdown, textType: 'text/markdown', properties };
};

export interface MarkdownPage {
  readonly markdown: string;
  readonly title: string | undefined;
  readonly language: string | undefined;
  readonly description: string | undefined;
  readonly author: string | undefined;
}

/** Maximum nesting depth. Deeper elements become running text, because recursion would exhaust the stack. */
const MAX_LEVELS = 512;

/** Parses HTML like a browser, without errors, and converts it to Markdown. */
export function htmlToMarkdown(source: string): MarkdownPage {
  const document = parse(source);
  const facts = factsOf(document);
  keepVisible(document);
  const writer = new MarkdownWriter();
  writeChildren(document, writer, 0);
  return { markdown: writer.toString(), ...facts };
}

const FACTS = new Set(['html', 'title', 'meta']);

function factsOf(document: HtmlParent): Omit<MarkdownPage, 'markdown'> {
  const found: HtmlElement[] = [];
  for (const element of elementsOf(document)) {
    if (FACTS.has(element.tagName)) found.push(element);
  }
  const named = (name: string): HtmlElement | undefined => found.find(({ tagName }) => tagName === name);
  const [html, title] = [named('html'), named('title')];
  const meta = (name: string): string | undefined => {
    const element = found.find((candidate) => attribute(candidate, 'name')?.toLowerCase() === name);
    return element === undefined ? undefined : attribute(element, 'content');
  };
  return {
    title: title === undefined ? undefined : lineOf(title),
    language: html === undefined ? undefined : attribute(html, 'lang'),
    description: meta('description'),
    author: meta('author'),
  };
}

function writeChildren(parent: HtmlParent, writer: MarkdownWriter, depth: number): void {
  for (const child of parent.childNodes) write(child, writer, depth + 1);
}

function write(node: HtmlNode, writer: MarkdownWriter, depth: number): void {
  if (isText(node)) writer.text(shown(node.value));
  else if (isElement(node)) {
    if (depth > MAX_LEVELS) writer.text(` ${lineOf(node)} `);
    else writeElement(node, writer, depth);
  }
}

function writeElement(element: HtmlElement, writer: MarkdownWriter, depth: number): void {
  const { tagName } = element;
  const inside = (): void => {
    writeChildren(element, writer, depth);
  };
  const heading = /^h([1-6])$/.exec(tagName)?.[1];
  if (heading !== undefined) {
    const line = lineOf(element);
    if (line !== '') writer.verbatim(`${'#'.repeat(Number(heading))} ${line}`);
    return;
  }
  const whole = wholeText(element);
  if (whole !== undefined) {
    if (isDisplayed(element)) writer.verbatim(whole);
    else writer.text(whole);
    return;
  }
  switch (tagName) {
    case 'br':
      writer.lineEnd();
      break;
    case 'hr':
      writer.verbatim('---');
      break;
    case 'pre':
      writer.verbatim(`\`\`\`\n${verbatimOf(element).replace(/^\n|\n+$/g, '')}\n\`\`\``);
      break;
    case 'ul':
    case 'ol':
    case 'menu':
      writeList(element, writer, depth);
      break;
    case 'blockquote':
      writer.indented('> ', '> ', inside);
      break;
    case 'table':
      writeTable(element, writer, depth);
      break;
    case 'dl':
      writer.list(inside);
      break;
    case 'dd':
      writer.indented(': ', '  ', inside);
      break;
    case 'svg':
      if (Array.from(elementsOf(element)).some((part) => part.tagName === 'text')) writer.list(inside);
      else writer.text(lineOf(element));
      break;
    default:
      if (BLOCKS.has(tagName)) writer.block(inside);
      else writeMarked(element, writer, inside);
  }
}

function writeMarked(element: HtmlElement, writer: MarkdownWriter, inside: () => void): void {
  const [before = '', after = ''] = marksOf(element) ?? [];
  writer.text(before);
  inside();
  writer.text(after);
}

/** Whether a formula is on its own line. */
function isDisplayed({ tagName, attrs }: HtmlElement): boolean {
  return tagName === 'math' && attrs.some(({ name, value }) => name === 'display' && value === 'block');
}

function writeList(list: HtmlElement, writer: MarkdownWriter, depth: number): void {
  const markers = new ListMarkers(list);
  writer.list(() => {
    for (const child of list.childNodes) {
      if (!isElement(child) || child.tagName !== 'li') {
        write(child, writer, depth + 1);
        continue;
      }
      const marker = markers.markerOf(child);
      writer.indented(marker, ' '.repeat(marker.length), () => {
        writeChildren(child, writer, depth + 1);
      });
    }
  });
}

/** A data table becomes a Markdown table; a layout table is read cell by cell. */
function writeTable(element: HtmlElement, writer: MarkdownWriter, depth: number): void {
  const table = dataTableOf(element);
  if (table === undefined) {
    writer.block(() => {
      writeChildren(element, writer, depth);
    });
    return;
  }
  for (const caption of table.captions) writer.verbatim(caption);
  writer.verbatim(markdownTable(table.rows));
}

/**
 * Collects text into Markdown blocks: collapses white space, separates blocks by a blank line (list items by a line
 * end), and prefixes every line with the marks of its lists and quotations.
 */
class MarkdownWriter {
  private readonly blocks: string[] = [];
  private line: string[] = [];
  /** Whether leading white space of the next text is significant. */
  private showsSpace = false;
  /** Prefix of the next line, and of the lines after it. */
  private first = '';
  private rest = '';
  private tight = 0;
  private separator = '';

  text(text: string): void {
    const collapsed = text.replace(/[ \t\n\f\r]+/g, ' ');
    const added = this.showsSpace ? collapsed : collapsed.trimStart();
    if (added === '') return;
    this.line.push(added);
    this.showsSpace = !added.endsWith(' ');
  }

  lineEnd(): void {
    const last = this.line.pop();
    if (last === undefined) return;
    this.line.push(`${last.trimEnd()}\n`);
    this.showsSpace = false;
  }

  block(write: () => void): void {
    this.flush();
    write();
    this.flush();
  }

  /** Text with significant white space. */
  verbatim(text: string): void {
    this.flush();
    if (text !== '') this.push(text);
  }

  /** Writes nested blocks: the first line after `marker`, further lines after `indent`. */
  indented(marker: string, indent: string, write: () => void): void {
    this.flush();
    const { first, rest } = this;
    this.first = first + marker;
    this.rest = rest + indent;
    write();
    this.flush();
    const unused = this.first === first + marker;
    this.rest = rest;
    this.first = unused ? first : rest;
  }

  /** Writes a list. Its items and nested lists are not separated by blank lines. */
  list(write: () => void): void {
    this.flush();
    this.tight += 1;
    write();
    this.flush();
    this.tight -= 1;
    if (this.tight === 0 && this.blocks.length > 0) this.separator = '\n\n';
  }

  toString(): string {
    this.flush();
    return this.blocks.join('');
  }

  private flush(): void {
    const line = this.line.join('').trim();
    this.line = [];
    this.showsSpace = false;
    if (line !== '') this.push(line);
  }

  private push(block: string): void {
    const [head = '', ...others] = block.split('\n');
    const lines = [this.first + head, ...others.map((line) => this.rest + line)];
    this.blocks.push(this.separator + lines.map((line) => line.trimEnd()).join('\n'));
    this.first = this.rest;
    this.separator = this.tight > 0 ? '\n' : '\n\n';
  }
}

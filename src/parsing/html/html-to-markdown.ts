import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { MarkdownWriter } from './markdown-writer.js';
import { markdownTable } from '../markdown-table.js';

export interface MarkdownPage {
  readonly markdown: string;
  readonly title: string | undefined;
  readonly language: string | undefined;
  readonly description: string | undefined;
  readonly author: string | undefined;
}

/** Elements without text of the document: programs, styling, controls, ways around a site. */
const DROPPED = new Set(
  'script style noscript template svg canvas iframe object embed audio video nav button select input textarea head'.split(
    ' ',
  ),
);

const BLOCKS = new Set(
  'address article aside body center details dialog dd div dl dt fieldset figcaption figure footer form header hgroup html main p section summary tbody td tfoot th thead tr'.split(
    ' ',
  ),
);

/** Reads HTML as a browser does (never fails) and writes its text as Markdown. */
export function htmlToMarkdown(source: string): MarkdownPage {
  const document = parse(source);
  const writer = new MarkdownWriter();
  const html = document.childNodes.find((node) => isElement(node) && node.tagName === 'html');
  writeChildren(document, writer);
  const head = elementsOf(document, (element) => element.tagName === 'title' || element.tagName === 'meta');
  const meta = (name: string): string | undefined => {
    const found = head.find((element) => attribute(element, 'name')?.toLowerCase() === name);
    return found === undefined ? undefined : attribute(found, 'content');
  };
  const title = head.find((element) => element.tagName === 'title');
  return {
    markdown: writer.toString(),
    title: title === undefined ? undefined : collapse(textOf(title)),
    language: html !== undefined && isElement(html) ? attribute(html, 'lang') : undefined,
    description: meta('description'),
    author: meta('author'),
  };
}

function writeChildren(parent: Tree.ParentNode, writer: MarkdownWriter): void {
  for (const child of parent.childNodes) write(child, writer);
}

function write(node: Tree.ChildNode, writer: MarkdownWriter): void {
  if (isText(node)) {
    writer.text(node.value);
    return;
  }
  if (!isElement(node) || isDropped(node)) return;
  const heading = /^h([1-6])$/.exec(node.tagName)?.[1];
  if (heading !== undefined) {
    writer.block(() => {
      writer.text(`${'#'.repeat(Number(heading))} ${collapse(textOf(node))}`);
    });
    return;
  }
  switch (node.tagName) {
    case 'br':
      writer.lineEnd();
      return;
    case 'hr':
      writer.block(() => {
        writer.text('---');
      });
      return;
    case 'img':
      writer.text(attribute(node, 'alt') ?? '');
      return;
    case 'pre':
      writer.verbatim(`\`\`\`\n${textOf(node).replace(/^\n|\n+$/g, '')}\n\`\`\``);
      return;
    case 'ul':
    case 'ol':
    case 'menu':
      writeList(node, writer);
      return;
    case 'blockquote':
      writer.indented('> ', '> ', () => {
        writeChildren(node, writer);
      });
      return;
    case 'table':
      writeTable(node, writer);
      return;
    default:
      if (BLOCKS.has(node.tagName)) {
        writer.block(() => {
          writeChildren(node, writer);
        });
      } else writeChildren(node, writer);
  }
}

function writeList(list: Tree.Element, writer: MarkdownWriter): void {
  let number = Number.parseInt(attribute(list, 'start') ?? '1', 10);
  if (Number.isNaN(number)) number = 1;
  writer.list(() => {
    for (const child of list.childNodes) {
      if (!isElement(child) || child.tagName !== 'li') {
        write(child, writer);
        continue;
      }
      const marker = list.tagName === 'ol' ? `${number}. ` : '- ';
      number += 1;
      writer.indented(marker, ' '.repeat(marker.length), () => {
        writeChildren(child, writer);
      });
    }
  });
}

/** A table of data becomes a Markdown table; one that lays out a page is read cell after cell. */
function writeTable(table: Tree.Element, writer: MarkdownWriter): void {
  const rows = elementsOf(table, ({ tagName }) => tagName === 'tr').map((row) =>
    row.childNodes.filter(isElement).filter(({ tagName }) => tagName === 'td' || tagName === 'th'),
  );
  const caption = table.childNodes.find((node) => isElement(node) && node.tagName === 'caption');
  const isLayout =
    rows.every((row) => row.length < 2) ||
    elementsOf(table, ({ tagName }) => /^(?:table|h[1-6]|ul|ol|pre)$/.test(tagName)).some(
      (element) => element !== table,
    );
  if (isLayout) {
    writer.block(() => {
      writeChildren(table, writer);
    });
    return;
  }
  if (caption !== undefined)
    writer.block(() => {
      write(caption, writer);
    });
  writer.verbatim(markdownTable(rows.map((row) => row.map((cell) => collapse(textOf(cell))))));
}

function isDropped(element: Tree.Element): boolean {
  return (
    DROPPED.has(element.tagName) ||
    attribute(element, 'hidden') !== undefined ||
    attribute(element, 'aria-hidden') === 'true' ||
    attribute(element, 'role') === 'navigation'
  );
}

/** Elements below `root` in the order of the document, itself left out. */
function elementsOf(root: Tree.ParentNode, wanted: (element: Tree.Element) => boolean): Tree.Element[] {
  const found: Tree.Element[] = [];
  const waiting: Tree.ChildNode[] = root.childNodes.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!isElement(node)) continue;
    if (wanted(node)) found.push(node);
    waiting.push(...node.childNodes.toReversed());
  }
  return found;
}

function textOf(node: Tree.ChildNode): string {
  if (isText(node)) return node.value;
  if (!isElement(node) || (isDropped(node) && node.tagName !== 'title')) return '';
  if (node.tagName === 'br') return '\n';
  if (node.tagName === 'img') return attribute(node, 'alt') ?? '';
  const text = node.childNodes.map(textOf).join('');
  return BLOCKS.has(node.tagName) || node.tagName === 'li' ? ` ${text} ` : text;
}

function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function attribute(element: Tree.Element, name: string): string | undefined {
  return element.attrs.find((candidate) => candidate.name === name)?.value;
}

function isText(node: Tree.Node): node is Tree.TextNode {
  return node.nodeName === '#text';
}

function isElement(node: Tree.Node): node is Tree.Element {
  return 'tagName' in node;
}

import { Archive } from '../archive/archive.js';
import { markdownTable } from '../markdown-table.js';
import { ParseFailure } from '../parse-failure.js';
import type { Parser } from '../parser.js';
import {
  descendants,
  element,
  elements,
  parseXml,
  textOfChild,
  type XmlElement,
  type XmlNode,
} from '../xml/xml-tree.js';

/** An OpenDocument text: headings, lists, tables, notes. */
export const parseOdt: Parser = async ({ bytes }) => {
  const archive = await Archive.open(bytes);
  const source = await archive.text('content.xml');
  const body = source === undefined ? undefined : descendants(parseXml(source), 'text').at(0);
  if (body === undefined)
    throw new ParseFailure('The document has no text: save it anew and upload it again.');
  return {
    text: blocksOf(body).join('\n\n'),
    textType: 'text/markdown',
    properties: await propertiesOf(archive),
  };
};

function blocksOf(parent: XmlElement): string[] {
  return elements(parent)
    .flatMap((child): string[] => {
      switch (child.name) {
        case 'h': {
          const level = Number(child.attributes['text:outline-level'] ?? 1);
          return [`${'#'.repeat(Math.min(6, Math.max(1, level)))} ${inline(child).replace(/\s+/g, ' ')}`];
        }
        case 'p':
          return [inline(child)];
        case 'list':
          return [itemsOf(child, '').join('\n')];
        case 'table':
          return [tableOf(child)];
        case 'tracked-changes': // what was deleted is no text
          return [];
        default:
          return blocksOf(child);
      }
    })
    .filter((block) => block.trim() !== '');
}

function itemsOf(list: XmlElement, indent: string): string[] {
  return elements(list, 'list-item').flatMap((item) =>
    elements(item).flatMap((child) =>
      child.name === 'list' ? itemsOf(child, `${indent}  `) : [`${indent}- ${inline(child)}`],
    ),
  );
}

function tableOf(table: XmlElement): string {
  const rows = descendants(table, 'table-row').map((row) =>
    elements(row, 'table-cell').map((cell) => blocksOf(cell).join(' ')),
  );
  return markdownTable(rows);
}

/** Running text; notes follow in parentheses where they are called. */
function inline(node: XmlElement): string {
  return node.children.map(inlineNode).join('').trim();
}

function inlineNode(node: XmlNode): string {
  if (typeof node === 'string') return node.replace(/\s+/g, ' ');
  switch (node.name) {
    case 's':
      return ' '.repeat(Math.min(16, Number(node.attributes['text:c'] ?? 1)));
    case 'tab':
      return '\t';
    case 'line-break':
      return '\n';
    case 'annotation':
      return '';
    case 'note': {
      const body = element(node, 'note-body');
      return body === undefined ? '' : ` (${blocksOf(body).join(' ')})`;
    }
    case 'p':
      return `${inline(node)}\n`;
    default:
      return node.children.map(inlineNode).join('');
  }
}

async function propertiesOf(archive: Archive): Promise<Record<string, unknown>> {
  const source = await archive.text('meta.xml');
  const meta = source === undefined ? undefined : element(parseXml(source), 'meta');
  const property = (name: string): string | undefined => textOfChild(meta, name);
  return {
    title: property('title'),
    author: property('creator') ?? property('initial-creator'),
    subject: property('subject'),
    description: property('description'),
    language: property('language'),
    created_at: property('creation-date'),
    modified_at: property('date'),
  };
}

import { posix } from 'node:path';
import { Archive } from '../archive/archive.js';
import { htmlToMarkdown } from '../html/html-to-markdown.js';
import { ParseFailure } from '../parse-failure.js';
import type { Parser } from '../parser.js';
import { descendants, element, elements, parseXml, textOf, type XmlElement } from '../xml/xml-tree.js';

/** A book: its chapters in reading order. */
export const parseEpub: Parser = async ({ bytes, onProgress }) => {
  const archive = await Archive.open(bytes);
  const locked = await lockedParts(archive);
  const container = await archive.text('META-INF/container.xml');
  const root = container === undefined ? undefined : descendants(parseXml(container), 'rootfile')[0];
  const name = root?.attributes['full-path'] ?? '';
  const source = await archive.text(name);
  if (source === undefined)
    throw new ParseFailure('The EPUB has no package document: save it again, then upload it.');
  const book = parseXml(source);
  const chapters = chaptersOf(book, posix.dirname(name));
  const texts: string[] = [];
  for (const [index, chapter] of chapters.entries()) {
    if (locked.has(chapter)) {
      throw new ParseFailure('The EPUB has copy protection (DRM): upload a copy without it.');
    }
    texts.push(htmlToMarkdown(asHtml((await archive.text(chapter)) ?? '')).markdown);
    onProgress(index + 1, chapters.length);
  }
  return {
    text: texts.filter((text) => text !== '').join('\n\n'),
    textType: 'text/markdown',
    properties: propertiesOf(book),
  };
};

/** Elements that may be self-closed in XHTML, but would remain open in HTML. */
const CLOSED =
  /<(title|script|style|textarea|iframe|noscript|a|span|div|p|td|th|li|i|b|em|strong|sup|sub|section)(\s[^<>]{0,2000})?\/>/gi;

function asHtml(xhtml: string): string {
  return xhtml.replace(
    CLOSED,
    (_, name: string, attributes = '') => `<${name}${String(attributes)}></${name}>`,
  );
}

/** Distinct parts of the spine (EPUB 3.3, section 5.7). */
function chaptersOf(book: XmlElement, folder: string): string[] {
  const manifest = element(book, 'manifest');
  const items = manifest === undefined ? [] : elements(manifest, 'item');
  const hrefs = new Map(items.map(({ attributes: { id = '', href = '' } }) => [id, href]));
  const spine = descendants(book, 'itemref')
    .map(({ attributes: { idref = '' } }) => hrefs.get(idref))
    .filter((href) => href !== undefined);
  return [...new Set(spine)].map((href) => posix.join(folder, decodeURI(href)));
}

/** Encrypted parts, except fonts. */
async function lockedParts(archive: Archive): Promise<ReadonlySet<string>> {
  const source = await archive.text('META-INF/encryption.xml');
  if (source === undefined) return new Set();
  return new Set(
    descendants(parseXml(source), 'CipherReference').map(({ attributes: { URI = '' } }) => decodeURI(URI)),
  );
}

function propertiesOf(book: XmlElement): Record<string, unknown> {
  const metadata = element(book, 'metadata');
  const all = (name: string): string[] =>
    metadata === undefined ? [] : elements(metadata, name).map(textOf);
  return {
    title: all('title')[0],
    author: all('creator').join(', '),
    language: all('language')[0],
    publisher: all('publisher')[0],
    description: all('description')[0],
    created_at: all('date')[0],
  };
}

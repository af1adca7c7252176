import { randomUUID } from 'node:crypto';
import { strToU8, zipSync } from 'fflate';
import mammoth from 'mammoth';
import { Archive } from '../archive/archive.js';
import { chartsOf, type Chart } from '../archive/chart.js';
import { htmlToMarkdown } from '../html/html-to-markdown.js';
import { officeProperties, relationshipsOf } from '../archive/office-open-xml.js';
import type { Parser } from '../parser.js';
import { descendants, element, parseXml, textOf, type XmlElement } from '../xml/xml-tree.js';

/** Pictures are left out of the text; without this the library would put their bytes into it. */
const WITHOUT_PICTURES = {
  convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
  styleMap: ['p[style-name="Title"] => h1:fresh', 'p[style-name="Subtitle"] => h2:fresh'],
};

/** The link from a footnote to where it is called. */
const WAY_BACK = / <a href="#[^"]*">↑<\/a>/g;

const DOCUMENT = 'word/document.xml';

/** A Word document: headings, lists, tables, footnotes, and charts as tables. */
export const parseDocx: Parser = async ({ bytes }) => {
  const archive = await Archive.open(bytes);
  const charts = await chartsOf(archive, await relationshipsOf(archive, DOCUMENT));
  const key = randomUUID();
  const document = (await archive.text(DOCUMENT)) ?? '';
  const buffer = await withDocument(archive, withReadings(withPlaceholders(document, charts, key)));
  const { value } = await mammoth.convertToHtml({ buffer }, WITHOUT_PICTURES);
  return {
    text: htmlToMarkdown(withCharts(value.replace(WAY_BACK, ''), charts, key)).markdown,
    textType: 'text/markdown',
    properties: await officeProperties(archive),
  };
};

const innermost = (name: string): RegExp => new RegExp(`<${name}\\b(?:(?!<${name}\\b)[^])*?</${name}>`, 'g');

/** Charts of the newer kinds have a picture beside them, in alternatives of which the library takes the picture. */
const DRAWINGS = [innermost('mc:AlternateContent'), innermost('w:drawing')];
const RUBY = innermost('w:ruby');
const CHART = /[<:]chart\b[^>]*?\br:id="([^"]*)"/g;
const TEXT_BOX = /[<:]txbxContent\b/;

/** The document with placeholders for charts, of which the library knows nothing, until there is HTML. */
function withPlaceholders(document: string, charts: ReadonlyMap<string, Chart>, key: string): string {
  const place = (drawing: string): string => {
    const ids = Array.from(drawing.matchAll(CHART), ([, id = '']) => id).filter((id) => charts.has(id));
    if (ids.length === 0 || TEXT_BOX.test(drawing)) return drawing;
    return textRun(ids.map((id) => `${key}(${id})`).join(' '));
  };
  return charts.size === 0 ? document : DRAWINGS.reduce((xml, each) => xml.replace(each, place), document);
}

/** The document with its ruby as text, the reading in parentheses: the library leaves it out. */
function withReadings(document: string): string {
  return document.replace(RUBY, (source) => {
    const ruby = parseXml(source);
    const [base, reading] = [textIn(element(ruby, 'rubyBase')), textIn(element(ruby, 'rt'))];
    return textRun(reading === '' ? base : `${base}(${reading})`);
  });
}

function textIn(part: XmlElement | undefined): string {
  return part === undefined ? '' : descendants(part, 't').map(textOf).join('');
}

function textRun(text: string): string {
  return `<w:t xml:space="preserve">${escaped(text)}</w:t>`;
}

/**
 * The document's text parts anew, within the bounds of an archive, since the library has none for what it expands; its
 * pictures are not read.
 */
async function withDocument(archive: Archive, document: string): Promise<Buffer> {
  const parts: Record<string, Uint8Array> = {};
  for (const name of archive.names) {
    if (!/\.(?:xml|rels)$/i.test(name)) continue;
    parts[name] = strToU8(name === DOCUMENT ? document : ((await archive.text(name)) ?? ''));
  }
  return Buffer.from(zipSync(parts, { level: 0 }));
}

function withCharts(html: string, charts: ReadonlyMap<string, Chart>, key: string): string {
  return html.replace(new RegExp(`${key}\\((.*?)\\)`, 'g'), (place, id: string) => {
    const chart = charts.get(id);
    return chart === undefined ? place : `</p>${htmlChart(chart)}<p>`;
  });
}

function htmlChart({ title, tables }: Chart): string {
  const rows = tables.map((table) =>
    table.map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`).join(''),
  );
  return [`<p>${escaped(title)}</p>`, ...rows.map((row) => `<table>${row}</table>`)].join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

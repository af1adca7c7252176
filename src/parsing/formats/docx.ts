import { randomUUID } from 'node:crypto';
import { strToU8, zipSync } from 'fflate';
import mammoth from 'mammoth';
import { Archive } from '../archive/archive.js';
import { chartsOf, type Chart } from '../archive/chart.js';
import { htmlToMarkdown } from '../html/html-to-markdown.js';
import { officeProperties, relationshipsOf } from '../archive/office-open-xml.js';
import type { Parser } from '../parser.js';
import {
  descendants,
  element,
  elements,
  parseXml,
  replaceElements,
  textOf,
  type XmlElement,
} from '../xml/xml-tree.js';

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
  await archive.verify();
  const charts = await chartsOf(archive, await relationshipsOf(archive, DOCUMENT));
  const places = new Map<string, Chart>();
  const document = rewritten((await archive.text(DOCUMENT)) ?? '', charts, places);
  const { value } = await mammoth.convertToHtml(
    {
      buffer:
        document === undefined
          ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
          : await withDocument(archive, document),
    },
    WITHOUT_PICTURES,
  );
  return {
    text: htmlToMarkdown(withCharts(value.replace(WAY_BACK, ''), places)).markdown,
    textType: 'text/markdown',
    properties: await officeProperties(archive),
  };
};

const REWRITTEN = new Set(['ruby', 'drawing', 'AlternateContent']);

/**
 * The document with what the library knows nothing of made into text: ruby, with the reading in parentheses, and words
 * that stand for the charts until there is HTML; undefined when there is neither.
 */
function rewritten(
  document: string,
  charts: ReadonlyMap<string, Chart>,
  places: Map<string, Chart>,
): string | undefined {
  if (charts.size === 0 && !/[<:]ruby\b/.test(document)) return undefined;
  const prefix = /<(?:(\w+):)?document[\s>]/.exec(document)?.[1];
  const tag = prefix === undefined ? 't' : `${prefix}:t`;
  return replaceElements(document, REWRITTEN, (name, source) => {
    const text = name === 'ruby' ? rubyText(parseXml(source)) : placesOfCharts(source, charts, places);
    return text === undefined ? undefined : `<${tag} xml:space="preserve">${escaped(text)}</${tag}>`;
  });
}

function rubyText(ruby: XmlElement): string {
  const [base, reading] = ['rubyBase', 'rt'].map((name) => {
    const part = element(ruby, name);
    return part === undefined ? '' : descendants(part, 't').map(textOf).join('');
  });
  return reading === '' ? (base ?? '') : `${base ?? ''}(${reading ?? ''})`;
}

/** undefined for a drawing without a chart, and for one with text of its own, in which charts have their places. */
function placesOfCharts(
  source: string,
  charts: ReadonlyMap<string, Chart>,
  places: Map<string, Chart>,
): string | undefined {
  if (!/[<:]chart\b/.test(source) || /[<:]txbxContent\b/.test(source)) return undefined;
  const drawing = parseXml(source);
  const choice = drawing.name === 'AlternateContent' ? (elements(drawing, 'Choice')[0] ?? drawing) : drawing;
  const found = descendants(choice, 'chart')
    .map(({ attributes }) => charts.get(attributes['r:id'] ?? ''))
    .filter((chart) => chart !== undefined);
  if (found.length === 0) return undefined;
  return found
    .map((chart) => {
      const place = randomUUID();
      places.set(place, chart);
      return place;
    })
    .join(' ');
}

/** The document's text parts anew: its pictures are not read. */
async function withDocument(archive: Archive, document: string): Promise<Buffer> {
  const parts: Record<string, Uint8Array> = {};
  for (const name of archive.names) {
    if (!/\.(?:xml|rels)$/i.test(name)) continue;
    parts[name] = strToU8(name === DOCUMENT ? document : ((await archive.text(name)) ?? ''));
  }
  return Buffer.from(zipSync(parts, { level: 0 }));
}

const PLACE = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

function withCharts(html: string, places: ReadonlyMap<string, Chart>): string {
  if (places.size === 0) return html;
  return html.replace(PLACE, (place) => {
    const chart = places.get(place);
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

import { Archive } from '../archive/archive.js';
import { chartsOf, markdownChart } from '../archive/chart.js';
import { markdownTable } from '../markdown-table.js';
import { officeProperties, relationshipsOf } from '../archive/office-open-xml.js';
import { joinPages, type Parser } from '../parser.js';
import { ParseFailure } from '../parse-failure.js';
import { descendants, element, elements, parseXml, textOf, type XmlElement } from '../xml/xml-tree.js';

const PRESENTATION = 'ppt/presentation.xml';

/** A presentation: one page for each slide, in the order shown, with tables, charts as tables, and the speaker's notes. */
export const parsePptx: Parser = async ({ bytes, onProgress }) => {
  const archive = await Archive.open(bytes);
  const source = await archive.text(PRESENTATION);
  if (source === undefined)
    throw new ParseFailure('The presentation has no slides: save it anew and upload it again.');
  const targets = new Map(
    (await relationshipsOf(archive, PRESENTATION)).map(({ id, target }) => [id, target]),
  );
  const slides = descendants(parseXml(source), 'sldId');
  const texts: string[] = [];
  for (const slide of slides) {
    texts.push(await textOfSlide(archive, targets.get(slide.attributes['r:id'] ?? '') ?? ''));
    onProgress(texts.length, slides.length);
  }
  return {
    ...joinPages(texts),
    textType: 'text/markdown',
    pageCount: texts.length,
    properties: await officeProperties(archive),
  };
};

async function textOfSlide(archive: Archive, name: string): Promise<string> {
  const source = await archive.text(name);
  if (source === undefined) return '';
  const relationships = await relationshipsOf(archive, name);
  const charts = await chartsOf(archive, relationships);
  const blocks = blocksOf(parseXml(source), (id) => {
    const chart = charts.get(id);
    return chart === undefined ? '' : markdownChart(chart);
  });
  for (const { type, target } of relationships) {
    if (type !== 'notesSlide' && type !== 'diagramData') continue;
    const related = await archive.text(target);
    if (related === undefined) continue;
    if (type === 'diagramData')
      blocks.push(
        ...descendants(parseXml(related), 'txBody').map(paragraphsOf),
        ...descendants(parseXml(related), 't').map(paragraphsOf),
      );
    else blocks.push(...notesOf(parseXml(related)));
  }
  return blocks.filter((block) => block !== '').join('\n\n');
}

/** Shapes, tables and charts in the order of the slide, the title first. */
function blocksOf(slide: XmlElement, chartById: (id: string) => string): string[] {
  const titles: string[] = [];
  const others: string[] = [];
  visit(slide, (node) => {
    if (node.name === 'Fallback') return true; // the same again for older programs
    if (node.name === 'tbl') {
      others.push(tableOf(node));
      return true;
    }
    if (node.name === 'chart') {
      others.push(chartById(node.attributes['r:id'] ?? ''));
      return true;
    }
    if (node.name !== 'sp') return false;
    const text = paragraphsOf(node);
    const role = roleOf(node);
    if (role === 'title' || role === 'ctrTitle')
      titles.push(text === '' ? '' : `# ${text.replace(/\s+/g, ' ')}`);
    else if (role !== 'sldNum' && role !== 'dt') others.push(text);
    return true;
  });
  return [...titles, ...others];
}

function notesOf(notes: XmlElement): string[] {
  const bodies = descendants(notes, 'sp').filter((shape) => roleOf(shape) === 'body');
  const text = bodies.map(paragraphsOf).join('\n').trim();
  return text === '' ? [] : [`Notes: ${text}`];
}

/** What a placeholder stands for: `title`, `body`, `sldNum`...; undefined for any other shape. */
function roleOf(shape: XmlElement): string | undefined {
  const [placeholder] = descendants(shape, 'ph');
  return placeholder === undefined ? undefined : (placeholder.attributes['type'] ?? 'body');
}

/** Calls `found` on each element from the top; it answers whether that element is done with. */
function visit(node: XmlElement, found: (node: XmlElement) => boolean): void {
  for (const child of elements(node)) if (!found(child)) visit(child, found);
}

function paragraphsOf(shape: XmlElement): string {
  return descendants(shape, 'p')
    .map(paragraphOf)
    .filter((paragraph) => paragraph !== '')
    .join('\n');
}

/** Text of a paragraph (`a:p`), with a list marker below the first level. */
function paragraphOf(paragraph: XmlElement): string {
  const level = Number(element(paragraph, 'pPr')?.attributes['lvl'] ?? 0);
  const text = elements(paragraph)
    .map((part) => (part.name === 'br' ? '\n' : part.name === 'r' || part.name === 'fld' ? runOf(part) : ''))
    .join('')
    .trim();
  return text !== '' && level > 0 ? `${'  '.repeat(level - 1)}- ${text}` : text;
}

function runOf(run: XmlElement): string {
  return elements(run, 't').map(textOf).join('');
}

function tableOf(table: XmlElement): string {
  return markdownTable(elements(table, 'tr').map((row) => elements(row, 'tc').map(paragraphsOf)));
}

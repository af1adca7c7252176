import { Archive } from '../archive/archive.js';
import { chartsOf, markdownChart } from '../archive/chart.js';
import { textOfBody } from '../archive/drawing-text.js';
import { EmbeddedParts } from '../archive/embedded-parts.js';
import { officeProperties, relationshipsOf, type Relationship } from '../archive/office-open-xml.js';
import { showsMaster, SlideLayouts } from '../archive/slide-layout.js';
import { shapesOf } from '../archive/slide-shapes.js';
import { smartArtText } from '../archive/smart-art.js';
import { joinPages, type Parser } from '../parser.js';
import { ParseFailure } from '../parse-failure.js';
import { descendants, parseXml, textOfChild, type XmlElement } from '../xml/xml-tree.js';

const PRESENTATION = 'ppt/presentation.xml';

/** Text that most slides repeat is written only once if the presentation has at least this number of slides. */
const MIN_SLIDES_THAT_SHARE = 3;

interface Slide {
  readonly isHidden: boolean;
  readonly blocks: readonly string[];
  /** Footers, and texts of layout and master. */
  readonly shared: readonly string[];
  readonly remarks: readonly string[];
}

const NO_SLIDE: Slide = { isHidden: false, blocks: [], shared: [], remarks: [] };

/**
 * A presentation with one page per slide, in order, including hidden slides. A page has the title, the shapes in
 * reading order, the speaker notes and the comments.
 */
export const parsePptx: Parser = async ({ bytes, onProgress, parseInner }) => {
  const archive = await Archive.open(bytes);
  const source = await archive.text(PRESENTATION);
  if (source === undefined)
    throw new ParseFailure('The presentation has no slides: save it again, then upload it.');
  const targets = new Map(
    (await relationshipsOf(archive, PRESENTATION)).map(({ id, target }) => [id, target]),
  );
  const deck = new Deck(archive, new SlideLayouts(archive), new EmbeddedParts(archive, parseInner));
  const ids = descendants(parseXml(source), 'sldId');
  const slides: Slide[] = [];
  for (const { attributes } of ids) {
    slides.push(await deck.slide(targets.get(attributes['r:id'] ?? '') ?? ''));
    onProgress(slides.length, ids.length);
  }
  const hidden = slides.flatMap(({ isHidden }, index) => (isHidden ? [index + 1] : []));
  return {
    ...joinPages(textsOf(slides)),
    textType: 'text/markdown',
    pageCount: slides.length,
    properties: {
      ...(await officeProperties(archive)),
      hidden_slides: hidden.length === 0 ? undefined : hidden,
      ...deck.embedded.properties,
    },
  };
};

/** Returns the text of each slide. Text that most slides repeat appears only on the first of these slides. */
function textsOf(slides: readonly Slide[]): string[] {
  const counts = new Map<string, number>();
  for (const text of slides.flatMap(({ shared }) => [...new Set(shared)]))
    counts.set(text, (counts.get(text) ?? 0) + 1);
  const isOnMost = (text: string): boolean =>
    slides.length >= MIN_SLIDES_THAT_SHARE && (counts.get(text) ?? 0) * 2 > slides.length;
  const written = new Set<string>();
  return slides.map(({ blocks, shared, remarks }) => {
    const once = [...new Set(shared)].filter((text) => !isOnMost(text) || !written.has(text));
    for (const text of once) written.add(text);
    return [...blocks, ...once, ...remarks].filter((block) => block !== '').join('\n\n');
  });
}

class Deck {
  constructor(
    private readonly archive: Archive,
    private readonly layouts: SlideLayouts,
    readonly embedded: EmbeddedParts,
  ) {}

  async slide(name: string): Promise<Slide> {
    const source = await this.archive.text(name);
    if (source === undefined) return NO_SLIDE;
    const part = parseXml(source);
    const relationships = await relationshipsOf(this.archive, name);
    const layout = await this.layouts.of(relationships);
    const frames = await this.frameTexts(relationships);
    const shapes = shapesOf(part, {
      inherited: layout.boxOf,
      frameText: (id) => frames.get(id) ?? '',
    });
    const titles = shapes.filter(({ role }) => role === 'title').map(({ text }) => headingOf(text));
    const isFooter = (role: string): boolean => role === 'ftr' || role === 'dt';
    const footers = shapes.filter(({ role, isField }) => isFooter(role) && !isField);
    const content = shapes.filter(({ role }) => !['title', 'sldNum', 'ftr', 'dt'].includes(role));
    return {
      isHidden: /^(?:0|false)$/.test(part.attributes['show'] ?? ''),
      blocks: [...titles, ...content.map(({ text }) => text)],
      shared: [...footers.map(({ text }) => text), ...(showsMaster(part) ? layout.texts : [])],
      remarks: await this.remarks(relationships),
    };
  }

  /** Texts of charts, diagrams and embedded files by relationship id. */
  private async frameTexts(relationships: readonly Relationship[]): Promise<Map<string, string>> {
    const texts = await this.embedded.textsOf(relationships);
    for (const [id, chart] of await chartsOf(this.archive, relationships)) {
      texts.set(id, markdownChart(chart));
    }
    for (const { id, type, target } of relationships) {
      if (type !== 'diagramData') continue;
      const source = await this.archive.text(target);
      if (source !== undefined) texts.set(id, smartArtText(parseXml(source)));
    }
    return texts;
  }

  private async remarks(relationships: readonly Relationship[]): Promise<string[]> {
    const remarks: string[] = [];
    for (const { type, target } of relationships) {
      if (type !== 'notesSlide' && type !== 'comments') continue;
      const source = await this.archive.text(target);
      if (source === undefined) continue;
      remarks.push(...(type === 'comments' ? commentsOf : notesOf)(parseXml(source)));
    }
    return remarks;
  }
}

function headingOf(title: string): string {
  return title === '' ? '' : `# ${title.replace(/\s+/g, ' ')}`;
}

function notesOf(notes: XmlElement): string[] {
  const bodies = shapesOf(notes, { inherited: () => undefined, frameText: () => '' });
  const text = bodies
    .filter(({ role }) => role === 'body')
    .map((body) => body.text)
    .join('\n')
    .trim();
  return text === '' ? [] : [`Notes: ${text}`];
}

/** Classic and modern comments, with replies. */
function commentsOf(comments: XmlElement): string[] {
  return descendants(comments, 'cm')
    .map((comment) => {
      const bodies = descendants(comment, 'txBody').map(textOfBody);
      return [textOfChild(comment, 'text') ?? '', ...bodies].filter((text) => text !== '').join('\n');
    })
    .filter((text) => text !== '')
    .map((text) => `Comment: ${text}`);
}

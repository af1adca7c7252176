import { posix } from 'node:path';
import type { Archive } from '../archive/archive.js';
import { type Chart, chartsOf } from '../archive/chart.js';
import type { EmbeddedParts } from '../archive/embedded-parts.js';
import { type Relationship, relationshipsOf } from '../archive/office-open-xml.js';
import { type Block, BULLET, tableBlock } from '../blocks.js';
import { ParseFailure } from '../parse-failure.js';
import { descendants, parseXml, textOf, type XmlElement } from '../xml/xml-tree.js';
import type { ForeignContent } from './story.js';

const USUAL_MAIN_PART = 'word/document.xml';

/** The parts of a Word document, located by relationships (ECMA-376 part 2, section 6.5). */
export class WordParts {
  private constructor(
    private readonly archive: Archive,
    private readonly main: string,
    private readonly relationships: readonly Relationship[],
  ) {}

  static async open(archive: Archive): Promise<WordParts> {
    const root = await relationshipsOf(archive, '');
    const main = root.find(({ type }) => type === 'officeDocument')?.target ?? USUAL_MAIN_PART;
    return new WordParts(archive, main, await relationshipsOf(archive, main));
  }

  /** @throws ParseFailure if the main part is missing */
  async document(): Promise<string> {
    const source = await this.archive.text(this.main);
    if (source === undefined)
      throw new ParseFailure('The document has no text: save it again, then upload it.');
    return source;
  }

  /**
   * Returns a part by the last word of its relationship type, such as `styles`. The document has one part of each such
   * type.
   */
  text(type: string): Promise<string | undefined> {
    const target = this.relationships.find((one) => one.type === type)?.target;
    return this.archive.text(target ?? posix.join(posix.dirname(this.main), `${type}.xml`));
  }

  async tree(type: string): Promise<XmlElement | undefined> {
    const source = await this.text(type);
    return source === undefined ? undefined : parseXml(source);
  }

  async byId(id: string): Promise<string | undefined> {
    const target = this.relationships.find((one) => one.id === id)?.target;
    return target === undefined ? undefined : this.archive.text(target);
  }

  /** Charts and diagrams by relationship id. */
  async drawings(): Promise<ForeignContent> {
    const content: ForeignContent = new Map();
    for (const [id, chart] of await chartsOf(this.archive, this.relationships)) {
      content.set(id, blocksOfChart(chart));
    }
    for (const { id, type, target } of this.relationships) {
      if (type !== 'diagramData') continue;
      const source = await this.archive.text(target);
      if (source !== undefined) content.set(id, itemsOfDiagram(parseXml(source)));
    }
    return content;
  }

  /** Imported parts (`w:altChunk`), embedded documents and sheets, by relationship id. */
  embeddedTexts(embedded: EmbeddedParts): Promise<Map<string, string>> {
    return embedded.textsOf(this.relationships);
  }
}

function blocksOfChart({ title, tables }: Chart): Block[] {
  return [{ kind: 'paragraph', text: title }, ...tables.map(tableBlock)];
}

/** The texts of a diagram (SmartArt; ECMA-376 part 1, section 21.4). */
function itemsOfDiagram(data: XmlElement): Block[] {
  return descendants(data, 'pt')
    .map((point) =>
      descendants(point, 'p')
        .map((paragraph) => descendants(paragraph, 't').map(textOf).join(''))
        .join(' ')
        .trim(),
    )
    .filter((text) => text !== '')
    .map((text) => ({ kind: 'item', level: 0, marker: BULLET, text }));
}

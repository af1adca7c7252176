import { descendants, element, elements, parseXml, textOf, type XmlElement } from '../xml/xml-tree.js';
import type { Archive } from './archive.js';
import { columnOf } from './cell-place.js';
import { shownDescendants, textOfBody } from './drawing-text.js';
import { relationshipsOf, type Relationship } from './office-open-xml.js';

/** Cell texts by reference. */
export class CellTexts {
  private readonly rows: ReadonlyMap<number, readonly string[]>;

  /** @param rowNumbers 0-based */
  constructor(rows: readonly (readonly string[])[], rowNumbers: readonly number[]) {
    this.rows = new Map(rows.map((row, index) => [rowNumbers[index] ?? index, row]));
  }

  /** A reference with the row's first cell and the cell's text: `C3 (North, 44)`. */
  describe(place: string): string {
    const row = this.rows.get(Number(/\d+$/.exec(place)?.[0]) - 1) ?? [];
    const first = row.find((text: string | undefined) => text !== undefined);
    const own = row[columnOf(place) ?? -1];
    const texts = [...new Set([first, own])].filter((text) => text !== undefined);
    return texts.length === 0 ? place : `${place} (${texts.join(', ')})`;
  }
}

/**
 * Text boxes and comments of a sheet.
 *
 * @param controls relationships of form controls by shape id
 */
export async function annotationsOf(
  archive: Archive,
  name: string,
  cells: CellTexts,
  controls: ReadonlyMap<string, string>,
): Promise<string[]> {
  const relationships = await relationshipsOf(archive, name);
  const parts = async (type: string): Promise<XmlElement[]> => {
    const texts = await Promise.all(
      relationships.filter((part) => part.type === type).map(({ target }) => archive.text(target)),
    );
    return texts.filter((text) => text !== undefined).map(parseXml);
  };
  const threaded = (await parts('threadedComment')).flatMap((part) => elements(part, 'threadedComment'));
  const places = new Set(threaded.map(({ attributes }) => attributes['ref']));
  const legacy = (await parts('comments'))
    .flatMap((part) => descendants(part, 'comment'))
    .filter(({ attributes }) => !places.has(attributes['ref'])); // copies of threaded comments for older programs
  const comments = [...legacy, ...threaded].map((comment) => {
    const text = descendants(comment, legacyText(comment)).map(textOf).join('').replace(/\s+/g, ' ').trim();
    return text === '' ? '' : `- ${cells.describe(comment.attributes['ref'] ?? '')}: ${text}`;
  });
  const lines = comments.filter((line) => line !== '');
  const boxes = await textBoxes(archive, relationships, await parts('drawing'), controls);
  return [...boxes, ...(lines.length === 0 ? [] : [`Comments:\n\n${lines.join('\n')}`])];
}

function legacyText({ name }: XmlElement): string {
  return name === 'comment' ? 't' : 'text';
}

/** Texts of shapes; check boxes and option buttons with their state. */
async function textBoxes(
  archive: Archive,
  relationships: readonly Relationship[],
  drawings: readonly XmlElement[],
  controls: ReadonlyMap<string, string>,
): Promise<string[]> {
  const texts: string[] = [];
  for (const shape of drawings.flatMap((drawing) => shownDescendants(drawing, 'sp'))) {
    const body = element(shape, 'txBody');
    const text = body === undefined ? '' : textOfBody(body);
    if (text === '') continue;
    const id = element(element(shape, 'nvSpPr'), 'cNvPr')?.attributes['id'] ?? '';
    const control = relationships.find((part) => part.type === 'ctrlProp' && part.id === controls.get(id));
    const source = control === undefined ? undefined : await archive.text(control.target);
    texts.push(source === undefined ? text : `${stateOf(parseXml(source))}${text}`);
  }
  return texts;
}

/** The state as in Markdown task lists; empty for other controls. */
function stateOf({ attributes }: XmlElement): string {
  const { objectType = '', checked } = attributes;
  if (objectType !== 'CheckBox' && objectType !== 'Radio') return '';
  return checked === 'Checked' ? '[x] ' : '[ ] ';
}

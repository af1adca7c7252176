import { markdownTable } from '../markdown-table.js';
import { linesOfOfficeMath } from '../math/omml.js';
import { RunText, type RunPosition } from '../notation.js';
import { element, elements, textOf, type XmlElement } from '../xml/xml-tree.js';

/**
 * Child elements that current programs show. If there are several alternatives (`mc:AlternateContent`), programs show
 * the first alternative.
 */
export function shownChildren(parent: XmlElement): XmlElement[] {
  return elements(parent).flatMap((child) => {
    if (child.name !== 'AlternateContent') return [child];
    const choice = element(child, 'Choice') ?? element(child, 'Fallback');
    return choice === undefined ? [] : shownChildren(choice);
  });
}

/** {@link shownChildren} with a name at any depth, in document order. */
export function shownDescendants(parent: XmlElement, name: string): XmlElement[] {
  return shownChildren(parent).flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...shownDescendants(child, name),
  ]);
}

/** Paragraphs of a DrawingML text body (ECMA-376 part 1, section 21.1.2), one per line. */
export function textOfBody(body: XmlElement): string {
  return shownDescendants(body, 'p')
    .map(paragraphOf)
    .filter((paragraph) => paragraph !== '')
    .join('\n');
}

/** A paragraph, with a list marker below the first level. */
function paragraphOf(paragraph: XmlElement): string {
  const level = Number(element(paragraph, 'pPr')?.attributes['lvl'] ?? 0);
  const runs = new RunText();
  for (const part of shownChildren(paragraph)) {
    if (part.name === 'br') runs.add('\n', 'on the line');
    else if (part.name === 'r' || part.name === 'fld') runs.add(runOf(part), positionOf(part));
    else if (part.name === 'm') runs.add(linesOfOfficeMath(part), 'on the line');
  }
  const text = runs.toString().trim();
  return text !== '' && level > 0 ? `${'  '.repeat(level - 1)}- ${text}` : text;
}

function runOf(run: XmlElement): string {
  return elements(run, 't').map(textOf).join('');
}

function positionOf(run: XmlElement): RunPosition {
  const baseline = Number.parseFloat(element(run, 'rPr')?.attributes['baseline'] ?? '0');
  if (baseline > 0) return 'raised';
  return baseline < 0 ? 'lowered' : 'on the line';
}

/** Converts a DrawingML table. A cell merged over several rows is repeated in each of these rows. */
export function drawingTable(table: XmlElement): string {
  const rows: string[][] = [];
  for (const row of elements(table, 'tr')) {
    const above = rows.at(-1);
    rows.push(
      elements(row, 'tc').map((cell, column) =>
        isOn(cell.attributes['vMerge']) ? (above?.[column] ?? '') : textOfBody(cell),
      ),
    );
  }
  return markdownTable(rows);
}

function isOn(value = ''): boolean {
  return value === '1' || value === 'true';
}

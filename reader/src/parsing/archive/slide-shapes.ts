import { writtenByPerson } from '../alternative-text.js';
import { descendants, element, elements, type XmlElement } from '../xml/xml-tree.js';
import { drawingTable, shownChildren, shownDescendants, textOfBody } from './drawing-text.js';
import { around, inReadingOrder, type Box } from './reading-order.js';

export interface Placeholder {
  readonly type: string;
  readonly index: string | undefined;
  readonly box: Box | undefined;
}

export interface SlideShape {
  /** `title`, `body`, `ftr`, `dt`, `sldNum`...; `other` for a shape that is not a placeholder. */
  readonly role: string;
  readonly box: Box | undefined;
  readonly text: string;
  /** Whether the text of the shape is a computed field, such as the current date. */
  readonly isField: boolean;
}

/** Inherited placeholder positions, and frame texts by relationship id. */
export interface SlideContext {
  readonly inherited: (placeholder: Placeholder) => Box | undefined;
  readonly frameText: (relationshipId: string) => string;
}

/** The shapes of a slide, layout or master in reading order; groups are kept together. */
export function shapesOf(part: XmlElement, context: SlideContext): SlideShape[] {
  const tree = descendants(part, 'spTree')[0];
  return tree === undefined ? [] : shapesIn(tree, context);
}

function shapesIn(tree: XmlElement, context: SlideContext): SlideShape[] {
  return inReadingOrder(shownChildren(tree).flatMap((child) => shapeOf(child, context)));
}

function shapeOf(node: XmlElement, context: SlideContext): SlideShape[] {
  switch (node.name) {
    case 'sp':
    case 'pic': {
      const placeholder = placeholderOf(node);
      const box = boxOf(node) ?? (placeholder && context.inherited(placeholder));
      const text = node.name === 'pic' ? alternativeText(node) : bodyOf(node);
      const isField = descendants(node, 'fld').length > 0;
      return [{ role: placeholder?.type ?? 'other', box, text, isField }];
    }
    case 'grpSp': {
      const shapes = shapesIn(node, context);
      const text = shapes.map((shape) => shape.text).filter((each) => each !== '');
      const box = boxOf(node) ?? around(shapes.map((shape) => shape.box));
      return [{ role: 'other', box, text: text.join('\n\n'), isField: false }];
    }
    case 'graphicFrame':
      return [{ role: 'other', box: boxOf(node), text: textOfFrame(node, context), isField: false }];
    default:
      return [];
  }
}

/** The placeholder of a shape; undefined for other shapes. */
export function placeholderOf(shape: XmlElement): Placeholder | undefined {
  const properties = elements(shape).find(({ name }) => name.startsWith('nv'));
  const placeholder = element(element(properties, 'nvPr'), 'ph');
  if (placeholder === undefined) return undefined;
  const { type = 'body', idx } = placeholder.attributes;
  return { type: KINDS[type] ?? type, index: idx, box: boxOf(shape) };
}

/** Placeholder types with another name in layouts and masters. */
const KINDS: Readonly<Record<string, string>> = { ctrTitle: 'title', subTitle: 'body', obj: 'body' };

function boxOf(node: XmlElement): Box | undefined {
  const place = element(node, 'xfrm') ?? element(element(node, 'spPr') ?? element(node, 'grpSpPr'), 'xfrm');
  const [offset, extent] = [element(place, 'off'), element(place, 'ext')];
  if (offset === undefined) return undefined;
  const [x, y] = [Number(offset.attributes['x']), Number(offset.attributes['y'])];
  if (!Number.isFinite(x) || !Number.isFinite(y)) return undefined;
  return {
    x,
    y,
    width: Number(extent?.attributes['cx']) || 0,
    height: Number(extent?.attributes['cy']) || 0,
  };
}

function bodyOf(shape: XmlElement): string {
  const body = element(shape, 'txBody');
  return body === undefined ? '' : textOfBody(body);
}

/** The text of a table, or of the part of a chart, diagram or embedded file. */
function textOfFrame(frame: XmlElement, { frameText }: SlideContext): string {
  const [table] = shownDescendants(frame, 'tbl');
  if (table !== undefined) return drawingTable(table);
  const data = shownDescendants(frame, 'graphicData')[0] ?? frame;
  const ids = shownChildren(data).map(({ attributes }) => attributes['r:dm'] ?? attributes['r:id'] ?? '');
  return ids.map(frameText).join('\n\n').trim();
}

function alternativeText(picture: XmlElement): string {
  return writtenByPerson(element(element(picture, 'nvPicPr'), 'cNvPr')?.attributes['descr'] ?? '');
}

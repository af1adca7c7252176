import { TICKED, UNTICKED } from '../check-boxes.js';
import { attributeOf, element, elements, isXmlElement, type XmlElement } from '../xml/xml-tree.js';

export function attr(node: XmlElement, name: string): string | undefined {
  return attributeOf(node, 'w', name);
}

export function relationshipId(node: XmlElement, name = 'id'): string {
  return attributeOf(node, 'r', name) ?? '';
}

/** The `w:val` of a child element; undefined if there is no such child. */
export function childValue(parent: XmlElement | undefined, name: string): string | undefined {
  const child = element(parent, name);
  return child === undefined ? undefined : attr(child, 'val');
}

export function childNumber(parent: XmlElement | undefined, name: string): number | undefined {
  return numberOf(childValue(parent, name));
}

export function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** A toggle property (`w:vanish`); undefined if absent. */
export function childSwitch(parent: XmlElement | undefined, name: string): boolean | undefined {
  const child = element(parent, name);
  return child === undefined ? undefined : isOn(attr(child, 'val'));
}

export function isOn(value: string | undefined): boolean {
  return value === undefined || !['0', 'false', 'off'].includes(value);
}

/** Wrapper elements without effect on their content. */
const TRANSPARENT = new Set(['sdt', 'sdtContent', 'customXml', 'smartTag', 'ins', 'moveTo']);

/** Children with a name, looking through content controls, custom markup and tracked insertions. */
export function childrenThrough(parent: XmlElement, name: string): XmlElement[] {
  return elements(parent).flatMap((child) => {
    if (child.name === name) return [child];
    if (child.name === 'AlternateContent') return childrenThrough(alternativeOf(child), name);
    return TRANSPARENT.has(child.name) ? childrenThrough(contentOf(child), name) : [];
  });
}

/** The first choice of `mc:AlternateContent`; all alternatives have the same text. */
export function alternativeOf(alternatives: XmlElement): XmlElement {
  const [choice, ...others] = elements(alternatives);
  if (choice === undefined) return alternatives;
  return hasContent(choice) ? choice : (others.at(-1) ?? choice);
}

function hasContent(choice: XmlElement): boolean {
  return choice.children.some(isXmlElement);
}

/**
 * Returns the content of a content control. For a check box, a mark of its state replaces its font-specific characters.
 */
export function contentOf(control: XmlElement): XmlElement {
  if (control.name !== 'sdt') return control;
  const content = element(control, 'sdtContent') ?? { name: 'sdtContent', attributes: {}, children: [] };
  const box = element(element(control, 'sdtPr'), 'checkbox');
  if (box === undefined) return content;
  const checked = element(box, 'checked');
  const mark = checked !== undefined && isOn(attributeOf(checked, 'w14', 'val')) ? TICKED : UNTICKED;
  return withMark(content, { mark });
}

/** Content with its first text replaced by the mark, and its other texts removed. */
function withMark(node: XmlElement, rest: { mark: string }): XmlElement {
  if (node.name === 't' || node.name === 'sym') {
    const { mark } = rest;
    rest.mark = '';
    return { name: 't', attributes: {}, children: [mark] };
  }
  return {
    ...node,
    children: node.children.map((child) => (isXmlElement(child) ? withMark(child, rest) : child)),
  };
}

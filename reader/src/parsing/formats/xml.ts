import type { Parser } from '../parser.js';
import { elements, parseXml, textOf, type XmlElement } from '../xml/xml-tree.js';

const INDENT = '  ';

/**
 * XML as an outline, with one line for each element and attribute, indented by level. An element with text among its
 * children becomes one line of running text.
 */
export const parseXmlDocument: Parser = ({ text }) => {
  const root = parseXml(text ?? '');
  const lines: string[] = [];
  outline(root, '', lines);
  return {
    text: lines.join('\n'),
    textType: 'application/xml',
    properties: { root_element: root.name },
  };
};

function outline(element: XmlElement, indent: string, lines: string[]): void {
  const running = element.children.some((child) => typeof child === 'string' && child.trim() !== '');
  const text = running ? ` ${textOf(element).replace(/\s+/g, ' ').trim()}` : '';
  lines.push(`${indent}${element.name}:${text}`);
  for (const [name, value] of Object.entries(element.attributes)) {
    if (!name.startsWith('xmlns')) lines.push(`${indent}${INDENT}${name}: ${value}`);
  }
  if (!running) for (const child of elements(element)) outline(child, indent + INDENT, lines);
}

import { lineOfMath } from '../math/mathml.js';
import type { XmlElement, XmlNode } from '../xml/xml-tree.js';
import { type HtmlElement, isElement, isText, rawTextOf } from './html-tree.js';

/** Maximum nesting depth. Deeper elements become text, because recursion would exhaust the stack. */
const MAX_LEVELS = 256;

export function lineOfHtmlMath(math: HtmlElement): string {
  return lineOfMath(xmlOf(math, 0));
}

function xmlOf(element: HtmlElement, depth: number): XmlElement {
  const { tagName: name, attrs, childNodes } = element;
  const attributes = Object.fromEntries(attrs.map((attribute) => [attribute.name, attribute.value]));
  if (depth > MAX_LEVELS) return { name, attributes, children: [rawTextOf(element)] };
  const children = childNodes.flatMap((child): XmlNode[] => {
    if (isText(child)) return [child.value];
    return isElement(child) ? [xmlOf(child, depth + 1)] : [];
  });
  return { name, attributes, children };
}

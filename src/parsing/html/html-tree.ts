import type { DefaultTreeAdapterTypes as Tree } from 'parse5';

export type HtmlElement = Tree.Element;
export type HtmlNode = Tree.ChildNode;
export type HtmlParent = Tree.ParentNode;

/** Elements without text of the document: programs, styling, controls, ways around a site. */
const DROPPED = new Set(
  'script style noscript template svg canvas iframe object embed audio video nav button select input textarea head'.split(
    ' ',
  ),
);

export const BLOCKS: ReadonlySet<string> = new Set(
  'address article aside body center details dialog dd div dl dt fieldset figcaption figure footer form header hgroup html main p section summary tbody td tfoot th thead tr'.split(
    ' ',
  ),
);

export function isText(node: HtmlNode): node is Tree.TextNode {
  return node.nodeName === '#text';
}

export function isElement(node: HtmlNode): node is HtmlElement {
  return 'tagName' in node;
}

export function isDropped(element: HtmlElement): boolean {
  return (
    DROPPED.has(element.tagName) ||
    attribute(element, 'hidden') !== undefined ||
    attribute(element, 'aria-hidden') === 'true' ||
    attribute(element, 'role') === 'navigation'
  );
}

export function attribute(element: HtmlElement, name: string): string | undefined {
  return element.attrs.find((candidate) => candidate.name === name)?.value;
}

/** Elements below `root` in the order of the document, itself left out; at any depth, so without recursion. */
export function* elementsOf(root: HtmlParent): Generator<HtmlElement> {
  const waiting: HtmlNode[] = root.childNodes.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!isElement(node)) continue;
    yield node;
    for (const child of node.childNodes.toReversed()) waiting.push(child);
  }
}

/** Text inside a node on one line, white space collapsed; at any depth, so without recursion. */
export function lineOf(root: HtmlNode): string {
  const parts: string[] = [];
  const waiting: (HtmlNode | string)[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node === 'string') parts.push(node);
    else if (isText(node)) parts.push(node.value);
    else if (isElement(node) && (node === root || !isDropped(node))) {
      if (node.tagName === 'img') parts.push(attribute(node, 'alt') ?? '');
      const around = BLOCKS.has(node.tagName) || node.tagName === 'li' || node.tagName === 'br' ? ' ' : '';
      parts.push(around);
      waiting.push(around);
      for (const child of node.childNodes.toReversed()) waiting.push(child);
    }
  }
  return parts.join('').replace(/\s+/g, ' ').trim();
}

/** Text inside an element whose white space counts. */
export function verbatimOf(root: HtmlElement): string {
  const parts: string[] = [];
  const waiting: HtmlNode[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isText(node)) parts.push(node.value);
    else if (isElement(node)) {
      if (node.tagName === 'br') parts.push('\n');
      for (const child of node.childNodes.toReversed()) waiting.push(child);
    }
  }
  return parts.join('');
}

import type { DefaultTreeAdapterTypes as Tree } from 'parse5';

export type HtmlElement = Tree.Element;
export type HtmlNode = Tree.ChildNode;
export type HtmlParent = Tree.ParentNode;
export type HtmlText = Tree.TextNode;

export const BLOCKS: ReadonlySet<string> = new Set(
  'address article aside body center details dialog dd div dl dt fieldset figcaption figure footer form header hgroup iframe legend main p section summary tbody td text tfoot th thead tr'.split(
    ' ',
  ),
);

export function isText(node: HtmlNode): node is HtmlText {
  return node.nodeName === '#text';
}

export function isElement(node: HtmlNode): node is HtmlElement {
  return 'tagName' in node;
}

export function attribute(element: HtmlElement, name: string): string | undefined {
  for (const candidate of element.attrs) if (candidate.name === name) return candidate.value;
  return undefined;
}

export function textNode(value: string, parentNode: HtmlParent): HtmlText {
  return { nodeName: '#text', value, parentNode };
}

/**
 * Yields the elements below `root`, without `root` itself, in document order. Iterative, because pages can be nested at
 * any depth.
 */
export function* elementsOf(root: HtmlParent): Generator<HtmlElement> {
  const waiting: HtmlElement[] = [];
  let parent: HtmlParent | undefined = root;
  while (parent !== undefined) {
    for (let index = parent.childNodes.length - 1; index >= 0; index -= 1) {
      const child = parent.childNodes[index];
      if (child !== undefined && isElement(child)) waiting.push(child);
    }
    const next = waiting.pop();
    if (next !== undefined) yield next;
    parent = next;
  }
}

/** Returns the source text inside a node. Iterative, because pages can be nested at any depth. */
export function rawTextOf(root: HtmlNode): string {
  const parts: string[] = [];
  const waiting: HtmlNode[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isText(node)) parts.push(node.value);
    else if (isElement(node)) for (const child of node.childNodes.toReversed()) waiting.push(child);
  }
  return parts.join('');
}

import { common, createLowlight } from 'lowlight';

/** A piece of code. `kind` is the class of its colour, such as `hljs-string`; empty: no colour. */
export interface ColouredPart {
  readonly text: string;
  readonly kind: string;
}

type Node = ReturnType<typeof lowlight.highlight>['children'][number];

const lowlight = createLowlight(common);

/** @returns null if the language is not known */
export function colouredParts(language: string, code: string): readonly ColouredPart[] | null {
  if (!lowlight.registered(language)) return null;
  return lowlight.highlight(language, code).children.flatMap((node) => partsOf(node, ''));
}

function partsOf(node: Node, kind: string): ColouredPart[] {
  if (node.type === 'text') return [{ text: node.value, kind }];
  if (node.type !== 'element') return [];
  const names = node.properties['className'];
  const own = Array.isArray(names) ? names.join(' ') : kind;
  return node.children.flatMap((child) => partsOf(child, own));
}

import { attribute, elementsOf, type HtmlElement, type HtmlParent, rawTextOf } from './html-tree.js';

/** Matches a rule for a single class, as word processors generate it. */
const RULE = /\.([\w-]{1,100})\s{0,20}\{([^{}]{0,2000})\}/g;
const ALIGNMENT = /(?:^|[;\s])vertical-align\s{0,9}:\s{0,9}(super|sub)\b/i;

/** Maximum length of a style sheet. Longer style sheets belong to a web site instead of a document. */
const MAX_STYLE = 1_000_000;

/** Vertical alignment (`super`, `sub`) by class, from the style sheets inside a page. */
export function alignmentsOf(page: HtmlParent): ReadonlyMap<string, string> {
  const alignments = new Map([
    ['superscript', 'super'],
    ['subscript', 'sub'],
  ]);
  let source = '';
  for (const element of elementsOf(page)) if (element.tagName === 'style') source += rawTextOf(element);
  if (source.length > MAX_STYLE) return alignments;
  for (const [, name = '', declarations = ''] of source.matchAll(RULE)) {
    const [, alignment] = ALIGNMENT.exec(declarations) ?? [];
    if (alignment !== undefined) alignments.set(name, alignment.toLowerCase());
  }
  return alignments;
}

/** Copies the alignment of an element's class into its own style. */
export function align(element: HtmlElement, alignments: ReadonlyMap<string, string>): void {
  if (element.tagName !== 'span') return;
  const names = attribute(element, 'class')?.split(/\s+/) ?? [];
  const alignment = names.map((name) => alignments.get(name)).find((found) => found !== undefined);
  if (alignment === undefined) return;
  const own = attribute(element, 'style') ?? '';
  const others = element.attrs.filter(({ name }) => name !== 'style');
  element.attrs = [...others, { name: 'style', value: `${own}; vertical-align: ${alignment}` }];
}

/** `super` or `sub`; undefined: on the baseline. */
export function alignmentOf(element: HtmlElement): string | undefined {
  const style = attribute(element, 'style');
  return style === undefined ? undefined : ALIGNMENT.exec(style)?.[1]?.toLowerCase();
}

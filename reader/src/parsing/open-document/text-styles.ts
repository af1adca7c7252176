import type { Position } from '../line.js';
import { attributeOf, descendants, element, type XmlElement } from '../xml/xml-tree.js';

/** Text properties that affect the extracted text; undefined if not set. */
export interface TextFormat {
  readonly isHidden: boolean | undefined;
  readonly isStruck: boolean | undefined;
  readonly position: Position | undefined;
}

interface Style extends TextFormat {
  readonly parent: string | undefined;
}

const PLAIN: TextFormat = { isHidden: undefined, isStruck: undefined, position: undefined };

/** Maximum length of a chain of base styles; also ends cycles. */
const MAX_ANCESTORS = 64;

/** Styles of paragraphs, texts and sections with inheritance (OpenDocument 1.3 part 3, section 16). */
export class TextStyles {
  private readonly styles = new Map<string, Style>();
  private readonly formats = new Map<string, TextFormat>();

  /** @param roots of `styles.xml` and `content.xml` */
  constructor(roots: readonly XmlElement[]) {
    for (const root of roots) {
      for (const style of descendants(root, 'style')) {
        const name = attributeOf(style, 'style', 'name') ?? '';
        this.styles.set(keyOf(attributeOf(style, 'style', 'family') ?? '', name), styleOf(style));
      }
    }
  }

  format(family: 'paragraph' | 'text', name: string | undefined): TextFormat {
    if (name === undefined) return PLAIN;
    const key = keyOf(family, name);
    const known = this.formats.get(key);
    if (known !== undefined) return known;
    const chain = this.chainOf(family, name);
    const format = {
      isHidden: chain.find(({ isHidden }) => isHidden !== undefined)?.isHidden,
      isStruck: chain.find(({ isStruck }) => isStruck !== undefined)?.isStruck,
      position: chain.find(({ position }) => position !== undefined)?.position,
    };
    this.formats.set(key, format);
    return format;
  }

  /** The style and its base styles, nearest first. */
  private chainOf(family: string, name: string): Style[] {
    const chain: Style[] = [];
    for (let style = this.styles.get(keyOf(family, name)); style !== undefined;) {
      chain.push(style);
      const { parent } = style;
      if (parent === undefined || chain.length >= MAX_ANCESTORS) break;
      style = this.styles.get(keyOf(family, parent));
    }
    return chain;
  }
}

function keyOf(family: string, name: string): string {
  return `${family}/${name}`;
}

function styleOf(style: XmlElement): Style {
  const properties = element(style, 'text-properties');
  const parent = attributeOf(style, 'style', 'parent-style-name');
  if (properties === undefined) return { ...PLAIN, parent };
  const line = ['text-line-through-style', 'text-line-through-type']
    .map((name) => attributeOf(properties, 'style', name))
    .filter((value) => value !== undefined);
  const display = attributeOf(properties, 'text', 'display');
  return {
    parent,
    isHidden: display === undefined ? undefined : display === 'none',
    isStruck: line.length === 0 ? undefined : line.every((value) => value !== 'none'),
    position: positionOf(attributeOf(properties, 'style', 'text-position')),
  };
}

/** Reads a position such as `super 58%` or `-33% 58%`. */
function positionOf(value: string | undefined): Position | undefined {
  const [height = ''] = value?.trim().split(/\s+/) ?? [];
  if (height === '') return undefined;
  if (height === 'super') return 1;
  if (height === 'sub') return -1;
  const percent = Number.parseFloat(height);
  return percent > 0 ? 1 : percent < 0 ? -1 : 0;
}

/** The effective format of nested text. */
export function formatInside(outer: TextFormat, own: TextFormat): TextFormat {
  return {
    isHidden: own.isHidden ?? outer.isHidden,
    isStruck: own.isStruck ?? outer.isStruck,
    position: own.position ?? outer.position,
  };
}

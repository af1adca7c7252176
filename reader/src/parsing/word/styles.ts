import { element, elements, type XmlElement } from '../xml/xml-tree.js';
import { attr, childNumber, childSwitch, childValue } from './word-xml.js';

/** A reference to numbering (`w:numPr`). */
export interface NumberingReference {
  readonly id: number | undefined;
  readonly level: number | undefined;
}

/** Run properties that affect the extracted text; undefined if not set. */
export interface RunFormat {
  readonly isHidden: boolean | undefined;
  readonly isStruck: boolean | undefined;
  /** Superscript (1), baseline (0) or subscript (-1). */
  readonly position: -1 | 0 | 1 | undefined;
  readonly font: string | undefined;
}

export interface ParagraphStyle {
  readonly run: RunFormat;
  /** Heading level, 1-based; undefined for running text. */
  readonly headingLevel: number | undefined;
  readonly numbering: NumberingReference | undefined;
  /** The style and its ancestors up to the source of `numbering`. */
  readonly numberingStyles: readonly string[];
}

interface Style {
  readonly id: string;
  readonly basedOn: string | undefined;
  readonly run: RunFormat;
  /** 0 for running text. */
  readonly headingLevel: number | undefined;
  readonly numbering: NumberingReference | undefined;
}

const NO_FORMAT: RunFormat = {
  isHidden: undefined,
  isStruck: undefined,
  position: undefined,
  font: undefined,
};

/** Maximum length of a chain of base styles; also ends cycles. */
const MAX_ANCESTORS = 64;

/** Paragraph and character styles with inheritance (ECMA-376 part 1, section 17.7). */
export class Styles {
  private readonly styles = new Map<string, Style>();
  private readonly paragraphs = new Map<string, ParagraphStyle>();
  private readonly characters = new Map<string, RunFormat>();
  private readonly defaultParagraph: string;

  constructor(root: XmlElement | undefined) {
    let defaultParagraph = '';
    for (const style of root === undefined ? [] : elements(root, 'style')) {
      const id = attr(style, 'styleId') ?? '';
      this.styles.set(id, styleOf(id, style));
      if (attr(style, 'type') === 'paragraph' && attr(style, 'default') === '1') defaultParagraph = id;
    }
    this.defaultParagraph = defaultParagraph;
  }

  paragraph(id = this.defaultParagraph): ParagraphStyle {
    const known = this.paragraphs.get(id);
    if (known !== undefined) return known;
    const chain = this.chainOf(id);
    const numbered = chain.findIndex(({ numbering }) => numbering?.id !== undefined);
    const style = {
      run: inherited(chain),
      headingLevel: chain.find(({ headingLevel }) => headingLevel !== undefined)?.headingLevel || undefined,
      numbering: chain[numbered]?.numbering,
      numberingStyles: chain.slice(0, numbered + 1).map((one) => one.id),
    };
    this.paragraphs.set(id, style);
    return style;
  }

  character(id: string | undefined): RunFormat {
    if (id === undefined) return NO_FORMAT;
    const known = this.characters.get(id);
    if (known !== undefined) return known;
    const format = inherited(this.chainOf(id));
    this.characters.set(id, format);
    return format;
  }

  /** The style and its base styles, nearest first. */
  private chainOf(id: string): Style[] {
    const chain: Style[] = [];
    for (let style = this.styles.get(id); style !== undefined && chain.length < MAX_ANCESTORS;) {
      chain.push(style);
      style = style.basedOn === undefined ? undefined : this.styles.get(style.basedOn);
    }
    return chain;
  }
}

function styleOf(id: string, style: XmlElement): Style {
  const properties = element(style, 'pPr');
  return {
    id,
    basedOn: childValue(style, 'basedOn'),
    run: runFormat(element(style, 'rPr')),
    headingLevel: levelByName(childValue(style, 'name') ?? '') ?? headingLevel(properties),
    numbering: numberingReference(properties),
  };
}

function inherited(chain: readonly Style[]): RunFormat {
  const first = <K extends keyof RunFormat>(name: K): RunFormat[K] | undefined =>
    chain.find(({ run }) => run[name] !== undefined)?.run[name];
  return {
    isHidden: first('isHidden'),
    isStruck: first('isStruck'),
    position: first('position'),
    font: first('font'),
  };
}

function levelByName(name: string): number | undefined {
  const number = /^heading ([1-9])$/i.exec(name)?.[1];
  if (number !== undefined) return Number(number);
  return { title: 1, subtitle: 2 }[name.toLowerCase()];
}

const OF_RUNNING_TEXT = 9;

/** 1-based level, 0 for declared running text, undefined if not set. */
export function headingLevel(properties: XmlElement | undefined): number | undefined {
  const level = childNumber(properties, 'outlineLvl');
  if (level === undefined || level < 0) return undefined;
  return level < OF_RUNNING_TEXT ? level + 1 : 0;
}

export function numberingReference(properties: XmlElement | undefined): NumberingReference | undefined {
  const reference = element(properties, 'numPr');
  if (reference === undefined) return undefined;
  return { id: childNumber(reference, 'numId'), level: childNumber(reference, 'ilvl') };
}

const POSITIONS: Readonly<Record<string, -1 | 0 | 1>> = { superscript: 1, baseline: 0, subscript: -1 };

export function runFormat(properties: XmlElement | undefined): RunFormat {
  if (properties === undefined) return NO_FORMAT;
  const fonts = element(properties, 'rFonts');
  return {
    isHidden: childSwitch(properties, 'vanish'),
    isStruck: either(childSwitch(properties, 'strike'), childSwitch(properties, 'dstrike')),
    position: POSITIONS[childValue(properties, 'vertAlign') ?? ''],
    font: fonts === undefined ? undefined : (attr(fonts, 'ascii') ?? attr(fonts, 'hAnsi')),
  };
}

function either(one: boolean | undefined, other: boolean | undefined): boolean | undefined {
  return one === undefined ? other : one || other === true;
}

/**
 * The effective format of a run: its own format, or else the format of its styles. A toggle property that is set in
 * both the paragraph and the character style is off (ECMA-376 part 1, section 17.7.3).
 */
export function effectiveFormat(own: RunFormat, character: RunFormat, paragraph: RunFormat): RunFormat {
  return {
    isHidden: own.isHidden ?? (character.isHidden === true) !== (paragraph.isHidden === true),
    isStruck: own.isStruck ?? (character.isStruck === true) !== (paragraph.isStruck === true),
    position: own.position ?? character.position ?? paragraph.position ?? 0,
    font: own.font ?? character.font ?? paragraph.font,
  };
}

import { BULLET } from '../blocks.js';
import { formatNumber, paddedFormat } from '../number-format.js';
import { element, elements, type XmlElement } from '../xml/xml-tree.js';
import type { NumberingReference, ParagraphStyle, Styles } from './styles.js';
import { alternativeOf, attr, childNumber, childSwitch, childValue, numberOf } from './word-xml.js';

export interface ParagraphNumber {
  /** `-` for any bullet. */
  readonly text: string;
  /** Separator of number and text: a space, or nothing. */
  readonly gap: string;
  /** 0-based. */
  readonly level: number;
}

interface Level {
  readonly start: number;
  readonly format: string;
  /** `%1.%2`: the numbers of levels 1 and 2. */
  readonly text: string;
  /** Restarts after this level, 1-based; 0: never; undefined: after each higher level. */
  readonly restart: number | undefined;
  /** Whether all numbers are decimal, regardless of their format. */
  readonly isLegal: boolean;
  readonly gap: string;
  readonly style: string | undefined;
}

/** A list. All instances of the list share its counters. */
interface List {
  readonly levels: ReadonlyMap<number, Level>;
  /** The style that defines the levels, if the list does not. */
  readonly levelsOfStyle: string | undefined;
  readonly counters: (number | undefined)[];
}

interface Instance {
  readonly list: List;
  readonly levels: ReadonlyMap<number, Level>;
  /** Initial counters of this instance by level, until first used. */
  readonly starts: Map<number, number>;
}

const MAX_LEVEL = 8;
const MAX_TEXT = 255;

/** Counts the numbered paragraphs of a document in order (ECMA-376 part 1, section 17.9). */
export class Numbering {
  private readonly instances = new Map<number, Instance>();

  constructor(root: XmlElement | undefined, styles: Styles) {
    if (root === undefined) return;
    const lists = new Map<number | undefined, List>();
    for (const list of elements(root, 'abstractNum')) {
      lists.set(numberOf(attr(list, 'abstractNumId')), {
        levels: levelsOf(list),
        levelsOfStyle: childValue(list, 'numStyleLink'),
        counters: [],
      });
    }
    const instances = elements(root, 'num').map((instance) => ({
      instance,
      id: numberOf(attr(instance, 'numId')),
      list: lists.get(childNumber(instance, 'abstractNumId')),
    }));
    const listOf = new Map(instances.map(({ id, list }) => [id, list]));
    for (const { instance, id, list } of instances) {
      if (id === undefined || list === undefined) continue;
      const linked = list.levelsOfStyle === undefined ? undefined : styles.paragraph(list.levelsOfStyle);
      this.instances.set(id, instanceOf(instance, listOf.get(linked?.numbering?.id) ?? list));
    }
  }

  /** Counts a paragraph and returns its number; undefined for a paragraph without a number. */
  next(own: NumberingReference | undefined, style: ParagraphStyle): ParagraphNumber | undefined {
    const id = own?.id ?? style.numbering?.id;
    const instance = id === undefined ? undefined : this.instances.get(id);
    if (instance === undefined) return undefined;
    const index = Math.min(MAX_LEVEL, Math.max(0, own?.level ?? levelOfStyle(instance, style)));
    const level = instance.levels.get(index);
    if (level === undefined) return undefined;
    count(instance, index);
    if (level.format === 'bullet') return { text: BULLET, gap: ' ', level: index };
    const text = printed(instance, level).trim();
    return text === '' ? undefined : { text, gap: level.gap, level: index };
  }
}

/** Returns the level that names one of the styles. If no level does, returns the level that the style names. */
function levelOfStyle({ levels }: Instance, { numbering, numberingStyles }: ParagraphStyle): number {
  for (const style of numberingStyles) {
    for (const [index, level] of levels) if (level.style === style) return index;
  }
  return numbering?.level ?? 0;
}

/**
 * Counts a paragraph. A higher level without a paragraph uses up its first number: after `2.1.1` the next paragraph of
 * the second level is `2.2`.
 */
function count({ list: { counters }, levels, starts }: Instance, index: number): void {
  for (let higher = 0; higher <= index; higher += 1) {
    const value = counters[higher];
    const start = starts.get(higher);
    if (higher < index && value !== undefined && start === undefined) continue;
    starts.delete(higher);
    const first = start ?? levels.get(higher)?.start ?? 1;
    counters[higher] = value === undefined || start !== undefined ? first : value + 1;
  }
  for (let deeper = index + 1; deeper <= MAX_LEVEL; deeper += 1) {
    const restart = levels.get(deeper)?.restart;
    if (restart === undefined || index < restart) counters[deeper] = undefined;
  }
}

function printed({ list: { counters }, levels }: Instance, { text, isLegal }: Level): string {
  return text.replace(/%([1-9])/g, (_, digit: string) => {
    const index = Number(digit) - 1;
    const level = levels.get(index);
    const format = level?.format === 'bullet' ? 'none' : (level?.format ?? 'decimal');
    const value = counters[index] ?? level?.start ?? 1; // no counter: a deeper level without a paragraph so far
    return formatNumber(value, isLegal && format !== 'none' ? 'decimal' : format);
  });
}

function instanceOf(instance: XmlElement, list: List): Instance {
  const levels = new Map(list.levels);
  const starts = new Map<number, number>();
  for (const override of elements(instance, 'lvlOverride')) {
    const index = numberOf(attr(override, 'ilvl')) ?? 0;
    const own = element(override, 'lvl');
    if (own !== undefined) levels.set(index, levelOf(own));
    const start = childNumber(override, 'startOverride');
    const level = levels.get(index);
    if (start === undefined) continue;
    starts.set(index, start);
    if (level !== undefined) levels.set(index, { ...level, start });
  }
  return { list, levels, starts };
}

function levelsOf(list: XmlElement): Map<number, Level> {
  const levels = elements(list, 'lvl').map(
    (level) => [numberOf(attr(level, 'ilvl')) ?? 0, levelOf(level)] as const,
  );
  return new Map(levels.filter(([index]) => index >= 0 && index <= MAX_LEVEL));
}

function levelOf(level: XmlElement): Level {
  return {
    start: childNumber(level, 'start') ?? 0,
    format: formatOf(level),
    text: (childValue(level, 'lvlText') ?? '').slice(0, MAX_TEXT),
    restart: childNumber(level, 'lvlRestart'),
    isLegal: childSwitch(level, 'isLgl') ?? false,
    gap: childValue(level, 'suff') === 'nothing' ? '' : ' ',
    style: childValue(level, 'pStyle'),
  };
}

/**
 * Returns the number format of a level. Supports custom formats with leading zeros (`001, 002, ...`), which Word writes
 * as one of two alternatives.
 */
function formatOf(level: XmlElement): string {
  const alternatives = element(level, 'AlternateContent');
  const format = element(level, 'numFmt') ?? (alternatives && element(alternativeOf(alternatives), 'numFmt'));
  if (format === undefined) return 'decimal';
  const value = attr(format, 'val') ?? 'decimal';
  const zeros = value === 'custom' ? /^(0+)1\b/.exec(attr(format, 'format') ?? '')?.[1] : undefined;
  return zeros === undefined ? value : paddedFormat(zeros.length + 1);
}

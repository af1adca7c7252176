import { BULLET } from '../blocks.js';
import { formatNumber, paddedFormat } from '../number-format.js';
import { element, elements, type XmlElement } from '../xml/xml-tree.js';
import type { NumberingReference, ParagraphStyle, Styles } from './styles.js';
import { alternativeOf, attr, childNumber, childSwitch, childValue, numberOf } from './word-xml.js';

/** The number of a paragraph as it is printed. */
export interface ParagraphNumber {
  /** `-` for a bullet, whatever its character. */
  readonly text: string;
  /** What separates the number from the text: a space, or nothing. */
  readonly gap: string;
  /** From 0. */
  readonly level: number;
}

interface Level {
  readonly start: number;
  readonly format: string;
  /** `%1.%2`: the numbers of levels 1 and 2. */
  readonly text: string;
  /** The numbers begin again after this level, counted from 1; 0: never; undefined: after each higher level. */
  readonly restart: number | undefined;
  /** All numbers are decimal, whatever their own format. */
  readonly isLegal: boolean;
  readonly gap: string;
  readonly style: string | undefined;
}

/** A list: paragraphs of all its instances are counted together. */
interface List {
  readonly levels: ReadonlyMap<number, Level>;
  /** The style that has the levels of this list, which has none itself. */
  readonly levelsOfStyle: string | undefined;
  readonly counters: (number | undefined)[];
}

interface Instance {
  readonly list: List;
  readonly levels: ReadonlyMap<number, Level>;
  /** Where the counters of this instance begin, by level; each until it is first used. */
  readonly starts: Map<number, number>;
}

const MAX_LEVEL = 8;
const MAX_TEXT = 255;

/** Counts the numbered paragraphs of a document in their order (ECMA-376 part 1, section 17.9). */
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

  /** The number of the next paragraph, which is counted; undefined for one without a number. */
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

/** The level that names the style, else the level that the style names. */
function levelOfStyle({ levels }: Instance, { numbering, numberingStyles }: ParagraphStyle): number {
  for (const style of numberingStyles) {
    for (const [index, level] of levels) if (level.style === style) return index;
  }
  return numbering?.level ?? 0;
}

/** Higher levels that have no paragraph yet begin as well: after `2.1.1` the next number of its second level is `2.2`. */
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
    const value = counters[index] ?? level?.start ?? 1; // a deeper level than its own has no paragraph yet
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

/** Of a format of its own (`001, 002, ...`) the zeros are known; it comes as one of two alternatives. */
function formatOf(level: XmlElement): string {
  const alternatives = element(level, 'AlternateContent');
  const format = element(level, 'numFmt') ?? (alternatives && element(alternativeOf(alternatives), 'numFmt'));
  if (format === undefined) return 'decimal';
  const value = attr(format, 'val') ?? 'decimal';
  const zeros = value === 'custom' ? /^(0+)1\b/.exec(attr(format, 'format') ?? '')?.[1] : undefined;
  return zeros === undefined ? value : paddedFormat(zeros.length + 1);
}

import { BULLET } from '../blocks.js';
import { formatNumber } from '../number-format.js';
import { attributeOf, descendants, elements, type XmlElement } from '../xml/xml-tree.js';

interface Level {
  readonly isBullet: boolean;
  readonly format: string;
  readonly start: number;
  readonly prefix: string;
  readonly suffix: string;
  /** Number of levels to display, including this one. */
  readonly shown: number;
  /** Pattern of the number, such as `%1%.%2%)`. Overrides prefix, suffix and displayed levels. */
  readonly pattern: string | undefined;
}

type Levels = ReadonlyMap<number, Level>;

const MAX_LEVELS = 10;
const MAX_PATTERN = 255;

/** Levels of list styles by name (OpenDocument 1.3 part 3, section 16.30). */
export class ListStyles {
  private readonly styles = new Map<string, Levels>();
  /** Heading levels; undefined if the document defines no heading levels. */
  readonly outline: Levels | undefined;

  /** @param roots of `styles.xml` and `content.xml` */
  constructor(roots: readonly XmlElement[]) {
    for (const root of roots) {
      for (const style of descendants(root, 'list-style')) {
        this.styles.set(attributeOf(style, 'style', 'name') ?? '', levelsOf(style));
      }
    }
    const outline = roots.flatMap((root) => descendants(root, 'outline-style'))[0];
    this.outline = outline === undefined ? undefined : levelsOf(outline);
  }

  levels(name: string): Levels | undefined {
    return this.styles.get(name);
  }
}

function levelsOf(style: XmlElement): Levels {
  const levels = elements(style)
    .map((level) => [Number(attributeOf(level, 'text', 'level')), levelOf(level)] as const)
    .filter(([number]) => number >= 1 && number <= MAX_LEVELS);
  return new Map(levels);
}

function levelOf(level: XmlElement): Level {
  const isNumbered = level.name === 'list-level-style-number' || level.name === 'outline-level-style';
  const isSynchronous = attributeOf(level, 'style', 'num-letter-sync') === 'true';
  return {
    isBullet: !isNumbered,
    format: formatOf(attributeOf(level, 'style', 'num-format') ?? '', isSynchronous),
    start: Number(attributeOf(level, 'text', 'start-value') ?? 1),
    prefix: (attributeOf(level, 'style', 'num-prefix') ?? '').slice(0, MAX_PATTERN),
    suffix: (attributeOf(level, 'style', 'num-suffix') ?? '').slice(0, MAX_PATTERN),
    shown: Number(attributeOf(level, 'text', 'display-levels') ?? 1),
    pattern: attributeOf(level, 'loext', 'num-list-format')?.slice(0, MAX_PATTERN),
  };
}

/** Maps an OpenDocument number format to ECMA-376 (OpenDocument 1.3 part 3, section 19.500). */
function formatOf(format: string, isSynchronous: boolean): string {
  const letters = isSynchronous ? 'Letter' : 'Column';
  const known: Readonly<Record<string, string>> = {
    '': 'none',
    '1': 'decimal',
    '01': 'decimalZero',
    a: `lower${letters}`,
    A: `upper${letters}`,
    i: 'lowerRoman',
    I: 'upperRoman',
    '1st': 'ordinal',
    One: 'cardinalText',
    First: 'ordinalText',
    '①, ②, ③, ...': 'decimalEnclosedCircle',
    '一, 二, 三, ...': 'chineseCounting',
    '壹, 贰, 叁, ...': 'chineseLegalSimplified',
    '壹, 貳, 參, ...': 'ideographLegalTraditional',
    '甲, 乙, 丙, ...': 'ideographTraditional',
    '子, 丑, 寅, ...': 'ideographZodiac',
    'ア, イ, ウ, ...': 'aiueoFullWidth',
    'イ, ロ, ハ, ...': 'irohaFullWidth',
    'А, Б, .., Аа, Аб, ... (ru)': 'russianUpper',
    'а, б, .., аа, аб, ... (ru)': 'russianLower',
  };
  return known[format] ?? 'decimal';
}

/** Counts the items of one list. */
export class ListCounter {
  private readonly counters: (number | undefined)[] = [];

  constructor(private readonly levels: Levels | undefined) {}

  /**
   * Returns the printed number of the next item, `-` for a bullet; empty for an unnumbered item.
   *
   * @param level 1-based
   * @param start restart value of the item
   */
  next(level: number, start?: number): string {
    const own = this.levels?.get(level);
    if (own === undefined) return this.levels === undefined ? BULLET : '';
    for (let higher = 1; higher < level; higher += 1) this.counters[higher] ??= this.startOf(higher);
    const value = this.counters[level];
    this.counters[level] = start ?? (value === undefined ? own.start : value + 1);
    this.counters.length = level + 1;
    if (own.isBullet) return BULLET;
    if (own.pattern !== undefined) return this.byPattern(own.pattern);
    if (own.format === 'none') return `${own.prefix}${own.suffix}`.trim();
    const from = Math.max(1, level - own.shown + 1);
    const numbers = Array.from({ length: level - from + 1 }, (_, index) => this.numberAt(from + index));
    return (own.prefix + numbers.filter((number) => number !== '').join('.') + own.suffix).trim();
  }

  private byPattern(pattern: string): string {
    return pattern.replace(/%(\d{1,2})%/g, (_, level: string) => this.numberAt(Number(level))).trim();
  }

  private numberAt(level: number): string {
    const format = this.levels?.get(level)?.format ?? 'none';
    return formatNumber(this.counters[level] ?? this.startOf(level), format);
  }

  private startOf(level: number): number {
    return this.levels?.get(level)?.start ?? 1;
  }
}

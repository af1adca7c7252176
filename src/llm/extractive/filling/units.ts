/** Dimension of a unit and how many of its base unit it is. */
interface Unit {
  readonly dimension: string;
  readonly factor: number;
}

const TABLE: readonly (readonly [dimension: string, factor: number, names: string])[] = [
  ['months', 1, 'month months 个月'],
  ['months', 12, 'year years yr yrs 年'],
  ['seconds', 0.001, 'ms millisecond milliseconds'],
  ['seconds', 1, 's sec secs second seconds 秒'],
  ['seconds', 60, 'min mins minute minutes 分钟'],
  ['seconds', 3_600, 'h hr hrs hour hours 小时'],
  ['seconds', 86_400, 'day days 天'],
  ['seconds', 604_800, 'week weeks'],
  ['metres', 0.001, 'mm millimetre millimetres millimeter millimeters'],
  ['metres', 0.01, 'cm centimetre centimetres centimeter centimeters'],
  ['metres', 1, 'm metre metres meter meters'],
  ['metres', 1_000, 'km kilometre kilometres kilometer kilometers'],
  ['grams', 0.001, 'mg milligram milligrams'],
  ['grams', 1, 'g gram grams'],
  ['grams', 1_000, 'kg kilogram kilograms kilo kilos 公斤'],
  ['litres', 0.001, 'ml millilitre millilitres milliliter milliliters'],
  ['litres', 1, 'l litre litres liter liters'],
  ['bytes', 1, 'b byte bytes'],
  ['bytes', 1_000, 'kb kilobyte kilobytes'],
  ['bytes', 1_000_000, 'mb megabyte megabytes'],
  ['bytes', 1_000_000_000, 'gb gigabyte gigabytes'],
  ['bytes', 1_000_000_000_000, 'tb terabyte terabytes'],
  ['watts', 1, 'w watt watts'],
  ['watts', 1_000, 'kw kilowatt kilowatts'],
  ['volts', 1, 'v volt volts'],
  ['amperes', 0.001, 'ma milliampere milliamperes'],
  ['amperes', 1, 'a ampere amperes amp amps'],
  ['percent', 1, '% percent percentage pct'],
  ['celsius', 1, '°c celsius'],
];

const UNITS: ReadonlyMap<string, Unit> = new Map(
  TABLE.flatMap(([dimension, factor, names]) =>
    names.split(' ').map((name) => [name, { dimension, factor }] as const),
  ),
);

/** Single letters in a name (`class_a`) are rarely units. */
const IN_NAMES = /[%°]?[\p{L}%]{2,}|%/gu;

/** The unit that the words of a property ask for (`weight kg`, `warranty months`), if any. */
export function unitAsked(words: string): Unit | null {
  const units = (words.toLowerCase().match(IN_NAMES) ?? []).flatMap((word) => UNITS.get(word) ?? []);
  return units.at(-1) ?? null;
}

/** The unit right after the number that begins at `at`, if any. */
export function unitAfter(sentence: string, at: number): Unit | null {
  const after = /^[-−]?[\d.,\u202f' ]*\p{L}*?[-\s]*([%°]?[\p{L}%°]+)/u.exec(
    sentence.slice(at).replace(/^\p{L}+[-\s]+/u, ''),
  );
  return UNITS.get(after?.[1]?.toLowerCase() ?? '') ?? null;
}

/** `value` given in one unit, in another of the same dimension; null when they measure different things. */
export function converted(value: number, from: Unit, to: Unit): number | null {
  if (from.dimension !== to.dimension) return null;
  return Number(((value * from.factor) / to.factor).toPrecision(12));
}

/** Dimension of a unit and how many of its base unit it is. */
export interface Unit {
  readonly dimension: string;
  readonly factor: number;
}

/** Units by dimension, each with its factor and its names in the singular. */
const TABLE: Readonly<Record<string, string>> = {
  months: '1 month 个月; 12 year yr 年',
  seconds:
    '0.001 ms millisecond; 1 s sec second 秒; 60 min minute 分钟; 3600 h hr hour 小时; 86400 day 天; 604800 week',
  metres:
    '0.001 mm millimetre millimeter; 0.01 cm centimetre centimeter; 1 m metre meter; 1000 km kilometre kilometer',
  grams: '0.001 mg milligram; 1 g gram; 1000 kg kilogram kilo 公斤',
  litres: '0.001 ml millilitre milliliter; 1 l litre liter',
  bytes: '1 b byte; 1e3 kb kilobyte; 1e6 mb megabyte; 1e9 gb gigabyte; 1e12 tb terabyte',
  watts: '1 w watt; 1000 kw kilowatt',
  volts: '1 v volt',
  amperes: '0.001 ma milliampere; 1 a ampere amp',
  percent: '1 % percent percentage pct',
  celsius: '1 °c celsius',
};

const UNITS: ReadonlyMap<string, Unit> = new Map(
  Object.entries(TABLE).flatMap(([dimension, units]) =>
    units.split('; ').flatMap((unit) => {
      const [factor, ...names] = unit.split(' ');
      return names.map((name) => [name, { dimension, factor: Number(factor) }] as const);
    }),
  ),
);

function unitNamed(name: string): Unit | undefined {
  const lower = name.toLowerCase();
  return UNITS.get(lower) ?? UNITS.get(lower.replace(/s$/, ''));
}

/** Single letters in a name (`class_a`) are rarely units. */
const IN_NAMES = /[%°]?[\p{L}%]{2,}|%/gu;

/** The unit that the words of a property ask for (`weight kg`, `warranty months`), if any. */
export function unitAsked(words: string): Unit | null {
  return (words.match(IN_NAMES) ?? []).flatMap((word) => unitNamed(word) ?? []).at(-1) ?? null;
}

/** A number that begins at `at` of a sentence, in another unit; null when the sentence gives it in none of that kind. */
export function inUnit(wanted: Unit, value: number, sentence: string, at: number): number | null {
  const after = /^[-−]?[\d.,\u202f' ]*\p{L}*?[-\s]*([%°]?[\p{L}%°]+)/u.exec(
    sentence.slice(at).replace(/^\p{L}+[-\s]+/u, ''),
  );
  const given = unitNamed(after?.[1] ?? '');
  if (given?.dimension !== wanted.dimension) return null;
  return Number(((value * given.factor) / wanted.factor).toPrecision(12));
}

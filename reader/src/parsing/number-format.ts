/**
 * Formats a number by a format of ECMA-376 part 1, section 17.18.59 (`ST_NumberFormat`), or by `lowerColumn` or
 * `upperColumn`, which are names of sheet columns. Unknown formats are decimal.
 */
export function formatNumber(value: number, format: string): string {
  if (!Number.isSafeInteger(value) || value < 0) return String(value);
  return FORMATS[format]?.(value) ?? String(value);
}

/** A format with leading zeros up to a width. */
export function paddedFormat(width: number): string {
  return `padded${Math.min(width, MAX_WIDTH)}`;
}

const MAX_WIDTH = 9;

type Format = (value: number) => string | undefined;

/** Number of rounds of the alphabet after which Word restarts at `a`. */
const MAX_ROUNDS = 30;
const LARGEST_ROMAN = 32_767;

const LATIN = 'abcdefghijklmnopqrstuvwxyz';

const padded =
  (width: number): Format =>
  (value) =>
    String(value).padStart(width, '0');

/** `a` to `z`, then `aa`, `bb`: the letter is repeated in each further round. */
const repeated =
  (alphabet: string): Format =>
  (value) => {
    if (value === 0) return undefined;
    const letters = Array.from(alphabet);
    const index = (value - 1) % (letters.length * MAX_ROUNDS);
    return letters[index % letters.length]?.repeat(1 + Math.floor(index / letters.length));
  };

/** `a` to `z`, then `aa`, `ab`: the columns of a sheet. */
const counted: Format = (value) => {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor((rest - 1) / LATIN.length)) {
    text = (LATIN[(rest - 1) % LATIN.length] ?? '') + text;
  }
  return text === '' ? undefined : text;
};

const ROMAN: readonly (readonly [number, string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

const roman: Format = (value) => {
  if (value === 0 || value > LARGEST_ROMAN) return undefined;
  let rest = value;
  let text = '';
  for (const [worth, letters] of ROMAN) {
    text += letters.repeat(Math.floor(rest / worth));
    rest %= worth;
  }
  return text;
};

const upper =
  (format: Format): Format =>
  (value) =>
    format(value)?.toUpperCase();

/** Digits of another script, starting with zero. */
const digits =
  (zeroToNine: string): Format =>
  (value) =>
    String(value).replace(/\d/g, (digit) => Array.from(zeroToNine)[Number(digit)] ?? digit);

/** A range of Unicode characters for 1, 2, 3... up to `last`. */
const enclosed =
  (first: number, last: number): Format =>
  (value) =>
    value >= 1 && value <= last ? String.fromCodePoint(first + value - 1) : undefined;

/** Positional words for ten, hundred and thousand: 十二, 二百三. */
const eastAsian =
  (zeroToNine: string, units: string): Format =>
  (value) => {
    if (value === 0) return zeroToNine[0];
    if (value > 9999) return undefined;
    const places = Array.from(String(value), Number);
    const text = places.map((digit, index) => {
      const unit = places.length - 1 - index;
      if (digit === 0)
        return places[index - 1] === 0 || places.slice(index).every((d) => d === 0) ? '' : zeroToNine[0];
      const isTen = digit === 1 && unit === 1 && index === 0;
      return (isTen ? '' : (zeroToNine[digit] ?? '')) + (unit === 0 ? '' : (units[unit - 1] ?? ''));
    });
    return text.join('');
  };

const ORDINAL_ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
const ordinalRules = new Intl.PluralRules('en', { type: 'ordinal' });
const ordinal: Format = (value) => `${value}${ORDINAL_ENDINGS[ordinalRules.select(value)] ?? 'th'}`;

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const IRREGULAR_ORDINALS: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};

const cardinalText: Format = (value) => {
  if (value > 99) return undefined;
  const ten = TENS[Math.floor(value / 10) - 2];
  const words =
    ten === undefined ? SMALL[value] : value % 10 === 0 ? ten : `${ten}-${SMALL[value % 10] ?? ''}`;
  return capitalised(words ?? '');
};

const ordinalText: Format = (value) =>
  cardinalText(value)?.replace(/[A-Za-z]+$/, (last) => {
    const word = IRREGULAR_ORDINALS[last.toLowerCase()] ?? `${last.toLowerCase().replace(/y$/, 'ie')}th`;
    return last === last.toLowerCase() ? word : capitalised(word);
  });

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

const CHINESE = eastAsian('零一二三四五六七八九', '十百千');
const CHINESE_DIGITS = digits('〇一二三四五六七八九');
const KOREAN = eastAsian('영일이삼사오육칠팔구', '십백천');

const FORMATS: Readonly<Record<string, Format>> = {
  none: () => '',
  decimalZero: padded(2),
  ...Object.fromEntries(Array.from({ length: MAX_WIDTH }, (_, i) => [paddedFormat(i + 1), padded(i + 1)])),
  decimalFullWidth: digits('０１２３４５６７８９'),
  decimalFullWidth2: digits('０１２３４５６７８９'),
  decimalEnclosedCircle: enclosed(0x2460, 20),
  decimalEnclosedCircleChinese: enclosed(0x2460, 20),
  decimalEnclosedParen: enclosed(0x2474, 20),
  decimalEnclosedFullstop: enclosed(0x2488, 20),
  numberInDash: (value) => `- ${value} -`,
  hex: (value) => value.toString(16).toUpperCase(),
  lowerLetter: repeated(LATIN),
  upperLetter: upper(repeated(LATIN)),
  lowerColumn: counted,
  upperColumn: upper(counted),
  lowerRoman: roman,
  upperRoman: upper(roman),
  ordinal,
  cardinalText,
  ordinalText,
  russianLower: repeated('абвгдежзиклмнопрстуфхцчшщыэюя'),
  russianUpper: repeated('АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ'),
  hebrew2: repeated('אבגדהוזחטיכלמנסעפצקרשת'),
  arabicAlpha: repeated('أبتثجحخدذرزسشصضطظعغفقكلمنهوي'),
  arabicAbjad: repeated('أبجدهوزحطيكلمنسعفصقرشتثخذضظغ'),
  thaiLetters: repeated('กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ'),
  thaiNumbers: digits('๐๑๒๓๔๕๖๗๘๙'),
  hindiNumbers: digits('०१२३४५६७८९'),
  aiueoFullWidth: repeated(
    'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン',
  ),
  irohaFullWidth: repeated(
    'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン',
  ),
  ganada: repeated('가나다라마바사아자차카타파하'),
  chosung: repeated('ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ'),
  ideographTraditional: repeated('甲乙丙丁戊己庚辛壬癸'),
  ideographZodiac: repeated('子丑寅卯辰巳午未申酉戌亥'),
  ideographEnclosedCircle: enclosed(0x3280, 10),
  chineseCounting: CHINESE,
  chineseCountingThousand: CHINESE,
  taiwaneseCounting: CHINESE,
  taiwaneseCountingThousand: CHINESE,
  japaneseCounting: CHINESE,
  chineseLegalSimplified: eastAsian('零壹贰叁肆伍陆柒捌玖', '拾佰仟'),
  japaneseLegal: eastAsian('零壱弐参四伍六七八九', '拾百阡'),
  ideographLegalTraditional: eastAsian('零壹貳參肆伍陸柒捌玖', '拾佰仟'),
  ideographDigital: CHINESE_DIGITS,
  japaneseDigitalTenThousand: CHINESE_DIGITS,
  taiwaneseDigital: CHINESE_DIGITS,
  koreanDigital: digits('영일이삼사오육칠팔구'),
  koreanDigital2: CHINESE_DIGITS,
  koreanCounting: KOREAN,
};

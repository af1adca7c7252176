import { contentTerms, UNSPACED_CHARACTER } from '../../lexical/analyse.js';

/**
 * Matches a question for a number: "how many", "wie viele", "combien", in the languages of the largest sets of
 * documents. Chinese and Japanese ask for numbers with a character within the sentence.
 */
const ASKS_FOR_NUMBER =
  /(?<![\p{L}\p{M}])(?:how (?:many|much|old|long|far|tall|high|heavy|large|big|often|fast|deep|wide)|number of|wie ?viele?|wie (?:lange?|hoch|alt|weit|schwer|groß|oft|breit|tief|teuer)|wieviele?|combien|cu[aá]nt[oa]s?|quant[oaie]s?|hoeveel|hur m[aå]nga|hvor mange|kuinka (?:monta|paljon)|ile|kolik|hány|câte|câți|kaç|berapa|bao nhiêu|сколько|скільки|πόσ[αεοη]\p{L}*|كم|چند|כמה|कितन[ाेी]|กี่|เท่าไ[หร]\p{L}*)(?![\p{L}\p{M}])|多少|幾|几|何[人年月日回個本台時分円枚件]|いくつ|いくら|몇|얼마/iu;

/** Matches words between the question and what it counts. */
const BETWEEN = /^(?:\s+|عدد|de\s|d['’]|di\s|of\s|the\s)+/u;
/** Matches the next word; of a script without spaces, the next two characters. */
const NEXT = new RegExp(`^(?:(?:${UNSPACED_CHARACTER}){1,2}|[\\p{L}\\p{M}-]+)`, 'u');

/** Matches a digit, or a number in words of a few large languages. */
const HAS_NUMBER =
  /\p{N}|(?<![\p{L}\p{M}])(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|dozen|half|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|hundert|tausend|deux|trois|quatre|cinq|sept|huit|neuf|dix|vingt|cent|mille|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|veinte|cien|mil|два|две|двух|три|тр[её]х|четыре|четыр[её]х|пять|шесть|семь|восемь|девять|десять|двадцать|тридцать|сорок|сто|\p{L}+надцат[ьи]|\p{L}+десят|тысяч[аи]?)(?![\p{L}\p{M}])|(?<!\p{L})(?:ال)?(?:ثلاث|[أا]ربع|خمس|ست|سبع|ثماني?|تسع|عشر|مئ|مائ|[أا]لف)(?:ة|ه|ون|ين|ان|ة?)?(?!\p{L})|[二三四五六七八九十百千万两]/iu;

export function asksForNumber(question: string): boolean {
  return ASKS_FOR_NUMBER.test(question);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The terms of what a question counts: of the word behind "how many". Empty if no word follows. */
export function countedTerms(question: string): readonly string[] {
  const asking = ASKS_FOR_NUMBER.exec(question);
  if (asking === null) return [];
  const rest = question.slice(asking.index + asking[0].length).replace(BETWEEN, '');
  return contentTerms(NEXT.exec(rest)?.[0] ?? '');
}

/** Leaves out the words of a question that ask for a number. */
export function withoutNumberWords<T extends Range>(question: string, words: readonly T[]): readonly T[] {
  const asking = ASKS_FOR_NUMBER.exec(question);
  if (asking === null) return words;
  const from = asking.index;
  const to = from + asking[0].length;
  return words.filter(({ start, end }) => start >= to || end <= from);
}

export function hasNumber(text: string): boolean {
  return HAS_NUMBER.test(text);
}

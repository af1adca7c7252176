import { LIST_MARK } from '../../passages/sentences.js';
import type { Found } from './property.js';
import { inUnit, type Unit } from './units.js';

const TO_TWENTY =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  );
const TENS = 'thirty forty fifty sixty seventy eighty ninety'.split(' ');
const TO_TEN = Array.from('一二三四五六七八九十');

const WORDS: ReadonlyMap<string, number> = new Map([
  ...TO_TWENTY.map((word, index) => [word, index] as const),
  ...TENS.map((word, index) => [word, 30 + 10 * index] as const),
  ...TO_TEN.map((word, index) => [word, index + 1] as const),
  ['两', 2],
]);

/** Digits that are no part of a date, a version or an identifier; number words. */
const NUMBER = new RegExp(
  [
    "(?<![\\p{L}\\d.,-])[-−]?(?:\\d{1,3}(?:[,\\u202f' ]\\d{3})+(?!\\d)(?:\\.\\d+)?|\\d+(?:\\.\\d+)?)(?![\\d-]*[\\p{L}]*-?\\d)",
    `(?<!\\p{L})(?:${[...TO_TWENTY, ...TENS].join('|')})(?!\\p{L})`,
    `[${TO_TEN.join('')}两](?=\\p{sc=Han})`,
  ].join('|'),
  'giu',
);

/**
 * Numbers of a sentence in digits (`1,200.5`, `-3`) or words, in the wanted unit; parts of dates, versions and
 * identifiers and the number of a list item are none.
 */
export function numbersIn(sentence: string, unit: Unit | null): Found[] {
  const mark = LIST_MARK.exec(sentence)?.[0].length ?? 0;
  return Array.from(sentence.matchAll(NUMBER)).flatMap(({ 0: text, index: at }) => {
    if (at < mark) return [];
    const given = WORDS.get(text.toLowerCase()) ?? Number(text.replace('−', '-').replace(/[,\u202f' ]/g, ''));
    const value = unit === null ? given : inUnit(unit, given, sentence, at);
    return value === null ? [] : [{ value, at }];
  });
}

import type { Found } from './property.js';

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH =
  '(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';

/** Forms in which day and month could be mistaken for each other are left out. */
const FORMS: readonly RegExp[] = [
  /\b(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})\b/g,
  /(?<year>\d{4})\s*年\s*(?<month>\d{1,2})\s*月\s*(?<day>\d{1,2})\s*日/g,
  new RegExp(
    `\\b(?<day>\\d{1,2})(?:st|nd|rd|th|\\.)?\\s+(?:of\\s+)?${MONTH}\\s*,?\\s+(?<year>\\d{4})\\b`,
    'gi',
  ),
  new RegExp(`\\b${MONTH}\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?\\s*,?\\s+(?<year>\\d{4})\\b`, 'gi'),
  /\b(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})\b/g,
];

/** Dates of a sentence as `YYYY-MM-DD`, in the order they stand. */
export function datesIn(sentence: string): Found[] {
  return FORMS.flatMap((form) => Array.from(sentence.matchAll(form), foundDate)).sort((a, b) => a.at - b.at);
}

function foundDate({ groups, index }: RegExpExecArray): Found {
  const { year = '', month = '', day = '' } = groups ?? {};
  const number = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1 || Number(month);
  return { value: [year, String(number).padStart(2, '0'), day.padStart(2, '0')].join('-'), at: index };
}

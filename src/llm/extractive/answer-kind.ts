import { cellsOf, LIST_MARK, type Sentence } from '../passages/sentences.js';

const COUNT =
  '(?:\\d[\\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty|ninety|half an?|an?|several)';
const MONTH =
  '(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)';

/** How each kind of answer is asked for, and what a sentence with one contains. English; numbers in any language. */
const KINDS = {
  duration: {
    asked: /\bhow long\b|多久|多长时间|どのくらい(の期間|の時間)|何年|何か月/i,
    given: new RegExp(
      `\\b${COUNT}[\\s-]*(?:\\([^)]*\\)[\\s-]*)?(?:milli|micro)?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|lifetime|min|hrs?|ms)\\b|[\\d一二两三四五六七八九十]+\\s*(?:年|个月|か月|ヶ月|日|天|小时|時間|分钟|分|秒)`,
      'i',
    ),
  },
  money: {
    asked:
      /\bhow much (does|do|is|are|did|was|will)\b.{0,200}\b(cost|price|fee|charge|pay)|\b(cost|price|fee|fare)s?\b|多少钱|いくら/i,
    given:
      /[$€£¥₹]\s*\d|\d[\d.,]*\s*(?:[$€£¥₹元円]|dollars?|euros?|pounds?|usd|eur|gbp|jpy|cents?)|\bfree of charge\b/i,
  },
  frequency: {
    asked: /\bhow (often|frequently)\b/i,
    given:
      /\b(?:every|each|daily|weekly|monthly|yearly|annually|quarterly|hourly|once|twice|times? (?:a|per)|per (?:day|week|month|year))\b/i,
  },
  date: {
    asked:
      /(?:^\W*|\b(?:since|until|by|and) )when\b|\b(what|which) (date|day|year|month|time)\b|什么时候|いつ/i,
    given: new RegExp(
      `\\b${MONTH}\\b|\\b(?:1[89]|20)\\d{2}\\b|\\d{4}-\\d{2}-\\d{2}|\\b\\d{1,2}[:.]\\d{2}\\b|\\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\\b|\\d\\s*[年月日]|\\b(?:before|after|within|every|each)\\b`,
      'i',
    ),
  },
  number: {
    asked:
      /\bhow (many|much|far|fast|heavy|tall|deep|wide|big|large|high|hot|cold|old|thick)\b|\bweigh\b|多少|几|何(個|人|回|台)/i,
    given:
      /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundred|thousand)\b|[一二两三四五六七八九十百千]/i,
  },
  reason: {
    asked: /\bwhy\b|\bwhat (is the )?(reason|cause)s?\b|为什么|なぜ/i,
    given:
      /\bbecause\b|\bdue to\b|\bsince\b|\bcaused? by\b|\bin order to\b|\bso that\b|\btherefore\b|\breason\b|因为|由于|ため|から/i,
  },
  procedure: {
    asked: /\bhow (do|can|should|to|would|must|does one)\b|\bsteps?\b|\bwhat should\b|怎么|如何|どうやって/i,
    given:
      /^\s*(?:[-*•]|\d{1,3}[.)])\s|\b(?:press|click|select|open|choose|hold|turn|remove|insert|connect|enter|set|go to|use|install|push|pull|wait|follow|run|call|contact|send)\b/i,
  },
  name: {
    asked: /\bwho(m|se)?\b|谁|誰/i,
    given: /(?<=\S\s)\p{Lu}[\p{L}.'-]+\s+\p{Lu}[\p{L}'-]+/u,
  },
} as const;

/** What a question asks for, as far as its form tells. */
export type AnswerKind = keyof typeof KINDS;

/** The kind of answer a question asks for, or null when its form does not tell; the first kind that fits counts. */
export function answerKindOf(question: string): AnswerKind | null {
  const kinds = Object.keys(KINDS) as AnswerKind[];
  return kinds.find((kind) => KINDS[kind].asked.test(question)) ?? null;
}

/** Whether a sentence contains something of that kind. The number of a list item answers no "how many". */
export function carries({ text, kind: form }: Pick<Sentence, 'text' | 'kind'>, kind: AnswerKind): boolean {
  if (form === 'row' && isOfFigures(kind) && cellsOf(text).slice(1).some(isFigure)) return true;
  return KINDS[kind].given.test(kind === 'procedure' ? text : text.replace(LIST_MARK, ''));
}

/** What a table gives as bare figures: the unit stands in the header, or nowhere. */
export function isOfFigures(kind: AnswerKind | null): boolean {
  return kind === 'duration' || kind === 'money' || kind === 'number';
}

export function isFigure(cell: string): boolean {
  return /^\P{L}*\p{N}/u.test(cell);
}

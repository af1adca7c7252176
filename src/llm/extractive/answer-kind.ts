/** What a question asks for, as far as its form tells; the patterns know English, the number patterns any language. */
export type AnswerKind =
  'duration' | 'money' | 'date' | 'number' | 'frequency' | 'reason' | 'procedure' | 'name';

const ASKS: readonly (readonly [AnswerKind, RegExp])[] = [
  ['duration', /\bhow long\b|多久|多长时间|どのくらい(の期間|の時間)|何年|何か月/i],
  [
    'money',
    /\bhow much (does|do|is|are|did|was|will)\b.*\b(cost|price|fee|charge|pay)|\b(cost|price|fee|fare)s?\b|多少钱|いくら/i,
  ],
  ['frequency', /\bhow (often|frequently)\b/i],
  ['date', /\bwhen\b|\b(what|which) (date|day|year|month|time)\b|什么时候|いつ/i],
  [
    'number',
    /\bhow (many|much|far|fast|heavy|tall|deep|wide|big|large|high|hot|cold|old|thick)\b|\bweigh\b|多少|几|何(個|人|回|台)/i,
  ],
  ['reason', /\bwhy\b|\bwhat (is the )?(reason|cause)s?\b|为什么|なぜ/i],
  [
    'procedure',
    /\bhow (do|can|should|to|would|must|does one)\b|\bsteps?\b|\bwhat should\b|怎么|如何|どうやって/i,
  ],
  ['name', /\bwho(m|se)?\b|谁|誰/i],
];

const COUNT =
  '(?:\\d[\\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty|ninety|half an?|an?|several)';
const MONTH =
  '(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)';

const ANSWERS: Readonly<Record<AnswerKind, RegExp>> = {
  duration: new RegExp(
    `\\b${COUNT}[\\s-]*(?:\\([^)]*\\)[\\s-]*)?(?:milli|micro)?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|lifetime|min|hrs?|ms)\\b|[\\d一二两三四五六七八九十]+\\s*(?:年|个月|か月|ヶ月|日|天|小时|時間|分钟|分|秒)`,
    'i',
  ),
  money:
    /[$€£¥₹]\s*\d|\d[\d.,]*\s*(?:[$€£¥₹元円]|dollars?|euros?|pounds?|usd|eur|gbp|jpy|cents?)|\bfree of charge\b/i,
  frequency:
    /\b(?:every|each|daily|weekly|monthly|yearly|annually|quarterly|hourly|once|twice|times? (?:a|per)|per (?:day|week|month|year))\b/i,
  date: new RegExp(
    `\\b${MONTH}\\b|\\b(?:1[89]|20)\\d{2}\\b|\\d{4}-\\d{2}-\\d{2}|\\b\\d{1,2}[:.]\\d{2}\\b|\\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\\b|\\d\\s*[年月日]|\\b(?:before|after|within|until)\\b`,
    'i',
  ),
  number:
    /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundred|thousand)\b|[一二两三四五六七八九十百千]/i,
  reason:
    /\bbecause\b|\bdue to\b|\bsince\b|\bcaused? by\b|\bin order to\b|\bso that\b|\btherefore\b|\breason\b|因为|由于|ため|から/i,
  procedure:
    /^\s*(?:[-*•]|\d{1,3}[.)])\s|\b(?:press|click|select|open|choose|hold|turn|remove|insert|connect|enter|set|go to|use|install|push|pull|wait|follow|run|call|contact|send)\b/i,
  name: /(?<=\S\s)\p{Lu}[\p{L}.'-]+\s+\p{Lu}[\p{L}'-]+/u,
};

/** The kind of answer a question asks for, or null when its form does not tell. */
export function answerKindOf(question: string): AnswerKind | null {
  return ASKS.find(([, pattern]) => pattern.test(question))?.[0] ?? null;
}

/** The number of a list item answers no "how many". */
const ITEM_NUMBER = /^\s*\(?\d{1,3}[.)]\s/;

/** Whether a sentence contains something of that kind. */
export function carries(sentence: string, kind: AnswerKind): boolean {
  return ANSWERS[kind].test(kind === 'procedure' ? sentence : sentence.replace(ITEM_NUMBER, ''));
}

import { stemmer } from 'stemmer';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Scripts written without spaces whose words no two texts divide alike: pairs of characters stand for them. */
const IDEOGRAPHIC = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]+/gu;

/** English function and question words: they say how a question is put, not what it is about. */
const FUNCTION_WORDS = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but
   by can could did do does doing done down during each either else ever every few for from further get gets give
   given had has have having he her here hers him his how i if in into is it its itself just know let like many may
   me might mine more most much must my need no nor not now of off on once only or other our ours out over own
   please same shall she should so some such tell than that the their theirs them then there these they this those
   through to too under until up upon us very want was we were what when where whether which while who whom whose
   why will with within without would you your yours`.split(/\s+/),
);

/** Chinese and Japanese function and question words: pairs of characters do not reach across them. */
const FUNCTION_PHRASE =
  /什么时候|多长时间|多少钱|为什么|怎么样|什么|多少|多久|多长|怎么|怎样|如何|哪里|哪个|哪些|是否|可以|需要|请问|[的是了吗呢在和与为谁]|何年|何時|何日|何か月|何/gu;

/** Two hiragana are grammar (endings, particles) far more often than a word. */
const HIRAGANA_PAIR = /^\p{sc=Hiragana}{2}$/u;

/**
 * Content terms of a text in order, repetitions included: lower-cased, English stems (Porter 1980), function words
 * left out; pairs of characters for Chinese and Japanese.
 */
export function termsOf(text: string): string[] {
  const folded = text.normalize('NFKC').toLowerCase();
  const terms: string[] = [];
  let from = 0;
  for (const match of folded.matchAll(IDEOGRAPHIC)) {
    pushWords(terms, folded.slice(from, match.index));
    pushPairs(terms, match[0]);
    from = match.index + match[0].length;
  }
  pushWords(terms, folded.slice(from));
  return terms;
}

function pushWords(terms: string[], text: string): void {
  if (text.trim() === '') return;
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (!isWordLike || FUNCTION_WORDS.has(segment)) continue;
    const word = segment.replace(/['’]s$/, '');
    terms.push(/^[a-z]+$/.test(word) ? stemmer(word) : word);
  }
}

function pushPairs(terms: string[], run: string): void {
  for (const part of run.split(FUNCTION_PHRASE)) {
    const characters = Array.from(part);
    if (characters.length === 1) terms.push(part);
    for (let i = 0; i + 1 < characters.length; i++) {
      const pair = characters.slice(i, i + 2).join('');
      if (!HIRAGANA_PAIR.test(pair)) terms.push(pair);
    }
  }
}

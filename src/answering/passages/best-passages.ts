import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LocalTextModel } from '../../models/embedding/local/local-text-model.js';
import { countTokens } from '../../models/llm/prompt-parts.js';
import { currentSignal, throwIfAborted } from '../../request/request-context.js';
import { pageAt } from '../../retrieval/present.js';
import type { PromptPassage } from '../prompt/prompt.js';
import { type AskedWord, askedWords, PassageWords } from './asked-words.js';
import { isInstruction, namesDocument } from './named-document.js';
import { asksForNumber, countedTerms, hasNumber, withoutNumberWords } from './number-question.js';
import { withRelated } from './related-terms.js';
import { sentencesOf, sharesOf, termsOf } from './sentences.js';

/** A whole sentence of a passage, or a table row with its column names. */
export interface Quotation {
  readonly text: string;
  readonly quote: string;
  /** Page of the quote, 1-based; null when unknown. */
  readonly pageNumber: number | null;
  readonly passage: PromptPassage;
}

export interface Quotations {
  /** Best first; empty if no sentence answers the question. */
  readonly quotations: readonly Quotation[];
  /** Whether quotations were omitted for lack of space. */
  readonly isCut: boolean;
  /** Whether the quotations repeat the previous answer, because no other sentence has a similar score. */
  readonly isRepeated: boolean;
}

/**
 * The score of a sentence is `cosine + WORDS x share + score of its chunk`. The share is the weighted share of the
 * question's words that the sentence contains. docs/project/performance.md has the measurements of the constants below.
 */
const WORDS = 0.5;
/**
 * Maximum number of sentences to embed. Embedding a sentence takes milliseconds, so the sentences are preselected by
 * their words and by the score of their chunk.
 */
const MAX_EMBEDDED = 8;
/**
 * Minimum score of a second quoted sentence, as a share of the best score. This minimum also applies to a sentence that
 * replaces a sentence of the previous answer.
 */
const MIN_SECOND_SHARE = 0.9;
/** Minimum of `cosine + WORDS x share`. A sentence below it does not answer the question. */
const MIN_SUPPORT = 0.5;
/**
 * Minimum share of the question's words. The cosine alone is not enough, because an out-of-vocabulary text has a high
 * cosine with every other text.
 */
const MIN_SHARE = 0.05;
/** Maximum number of variants of the question. Each variant omits a word that passages lack, and must be embedded. */
const MAX_VARIANTS = 2;
/**
 * Maximum gain in the similarity of question and sentence when a word that the passage lacks is omitted from the
 * question. The gain is small if the passage has a synonym of the word. The gain is large if the word is the subject of
 * the question and the passage has another subject.
 */
const MAX_GAIN = 0.1;
/** Like `MAX_GAIN`, for a word that is a name. */
const MAX_NAME_GAIN = 0.03;

/** Added to the score of a sentence with a number, if the question asks for one. */
const NUMBER_BONUS = 0.4;
/** The same, if the sentence also has what the question counts: the employees of "How many employees". */
const COUNTED_BONUS = 0.5;
/**
 * Added to the support of such a sentence in a passage that has all words of the question: its subject is often a
 * pronoun, as in "It employs 1,280 people".
 */
const COUNTED_SUPPORT = 0.1;

/** Maximum length of a word that may be missing in a passage with the subject of the question. */
const SHORT = 3;

/** Number of characters that are processed before the event loop serves other requests. */
const CHARACTERS_PER_TURN = 10_000;

interface Candidate extends Quotation {
  readonly terms: ReadonlySet<string>;
  readonly share: number;
}

/**
 * Answers without a language model: quotes the best sentence of the passages, and a second sentence of similar score.
 * Always compares the sentences with the question by the bundled model, whatever EMBEDDING_MODEL is: the limits were
 * measured with the bundled model, and no data leaves the machine.
 */
@Injectable()
export class BestPassages {
  constructor(private readonly textModel: LocalTextModel) {}

  /**
   * @param maxTokens maximum number of tokens of all quotations together; null: no limit
   * @param previous answer to the previous question, whose quotations are avoided; empty: no previous answer
   */
  async quote(
    question: string,
    passages: readonly PromptPassage[],
    maxTokens: number | null,
    previous = '',
  ): Promise<Quotations> {
    const named = namedIn(question, passages);
    if (named === null) return this.quoteFrom(question, passages, maxTokens, previous);
    if (isInstruction(question)) return beginningOf(named, maxTokens);
    const found = await this.quoteFrom(question, named, maxTokens, previous);
    return found.quotations.length > 0 || found.isCut ? found : beginningOf(named, maxTokens);
  }

  private async quoteFrom(
    question: string,
    passages: readonly PromptPassage[],
    maxTokens: number | null,
    previous: string,
  ): Promise<Quotations> {
    const missing = missingByPassage(question, passages);
    const isForNumber = asksForNumber(question);
    const counted = countedTerms(question);
    const bonusOf = ({ text, share, terms }: Candidate): number => {
      if (!isForNumber || share < MIN_SHARE || !hasNumber(text)) return 0;
      return counted.some((term) => terms.has(term)) ? COUNTED_BONUS : NUMBER_BONUS;
    };
    const candidates = (await candidatesOf(question, passages))
      .filter(({ passage }) => missing.has(passage))
      .sort((a, b) => byWords(b) + bonusOf(b) - byWords(a) - bonusOf(a))
      .slice(0, MAX_EMBEDDED);
    const variants = variantsOf(
      question,
      candidates.flatMap(({ passage }) => missing.get(passage) ?? []),
    );
    const [nearness = [], ...ofVariants] = await this.textModel.similarities(
      [question, ...variants.values()],
      candidates.map(({ text }) => text),
      currentSignal(),
    );
    const withoutWord = new Map([...variants.keys()].map((word, at) => [word, ofVariants[at] ?? []]));
    const scored = candidates
      .map((candidate, index) => {
        const near = nearness[index] ?? 0;
        const lacking = missing.get(candidate.passage) ?? [];
        const isCounted = lacking.every(isShort) && bonusOf(candidate) === COUNTED_BONUS;
        const support = near + WORDS * candidate.share + (isCounted ? COUNTED_SUPPORT : 0);
        const isAbout = lacking.every((word) => {
          const without = withoutWord.get(word)?.[index] ?? near;
          return without - near <= (word.isName ? MAX_NAME_GAIN : MAX_GAIN);
        });
        const score = support + candidate.passage.chunk.score + bonusOf(candidate);
        return { candidate, support, isAbout, score };
      })
      .filter(({ isAbout, support }) => isAbout && support >= MIN_SUPPORT)
      .sort((a, b) => b.score - a.score);
    const [top] = scored;
    if (top === undefined || top.candidate.share < MIN_SHARE) {
      return { quotations: [], isCut: false, isRepeated: false };
    }
    const fresh = scored.filter(
      ({ candidate, score }) =>
        !previous.includes(candidate.text) &&
        candidate.share >= MIN_SHARE &&
        score >= MIN_SECOND_SHARE * top.score,
    );
    const isRepeated = fresh.length === 0;
    const [best = top, second] = isRepeated ? scored : fresh;
    const isSecondGiven =
      second !== undefined &&
      second.score >= MIN_SECOND_SHARE * best.score &&
      addsTo(best.candidate.terms, second.candidate);
    const chosen = isSecondGiven ? [best, second] : [best];
    const quotations = within(
      maxTokens,
      chosen.map(({ candidate }) => candidate),
    );
    return { quotations, isCut: quotations.length < chosen.length, isRepeated };
  }
}

/** The passages of the document that the question names; null: it names none. */
function namedIn(question: string, passages: readonly PromptPassage[]): PromptPassage[] | null {
  const named = passages.filter(({ chunk }) => namesDocument(question, chunk.filename));
  const [first] = named;
  if (first === undefined) return null;
  return named.filter(({ chunk }) => chunk.documentId === first.chunk.documentId);
}

/** The first two sentences of a document, as far as its passages are known. */
function beginningOf(passages: readonly PromptPassage[], maxTokens: number | null): Quotations {
  const [first] = passages.toSorted((a, b) => a.chunk.chunkNumber - b.chunk.chunkNumber);
  if (first === undefined) return { quotations: [], isCut: false, isRepeated: false };
  const { content, context } = first.chunk;
  const chosen = sentencesOf(content, context.table)
    .filter(({ isWhole }) => isWhole)
    .slice(0, 2)
    .map(({ start, end, text }): Quotation => {
      const quote = content.slice(start, end);
      return { text, quote, pageNumber: pageAt(first.chunk, start), passage: first };
    });
  const quotations = within(maxTokens, chosen);
  return { quotations, isCut: quotations.length < chosen.length, isRepeated: false };
}

/** The words of the question that each passage lacks. Omits a passage that lacks a number of the question. */
function missingByPassage(
  question: string,
  passages: readonly PromptPassage[],
): ReadonlyMap<PromptPassage, readonly AskedWord[]> {
  const words = withoutNumberWords(question, askedWords(question));
  const missing = new Map<PromptPassage, readonly AskedWord[]>();
  for (const passage of passages) {
    const known = new PassageWords(passage.chunk);
    if (!words.every((word) => known.hasNumbers(word))) continue;
    missing.set(
      passage,
      words.filter((word) => !known.has(word)),
    );
  }
  return missing;
}

/**
 * Variants of the question. Each variant omits one of the words. Names and long words come first. A variant must still
 * have a content word.
 */
function variantsOf(question: string, words: readonly AskedWord[]): ReadonlyMap<AskedWord, string> {
  const variants = new Map<AskedWord, string>();
  for (const word of words.toSorted(byWeight)) {
    if (variants.size === MAX_VARIANTS) break;
    const variant =
      `${question.slice(0, word.start).trimEnd()} ${question.slice(word.end).trimStart()}`.trim();
    if (termsOf(variant).size > 0) variants.set(word, variant);
  }
  return variants;
}

/**
 * Comparator: names first, then long words. Short words come last, because they are often function words, and lists of
 * function words exist for a few languages only.
 */
function byWeight(a: AskedWord, b: AskedWord): number {
  return Number(b.isName) - Number(a.isName) || b.letters.length - a.letters.length;
}

/**
 * The sentences of all passages. A sentence in the overlap of several chunks occurs once, with the best of these
 * chunks.
 */
async function candidatesOf(question: string, passages: readonly PromptPassage[]): Promise<Candidate[]> {
  const bySentence = new Map<string, Quotation & { readonly terms: ReadonlySet<string> }>();
  const asked = termsOf(question);
  let read = 0;
  for (const passage of passages) {
    const { chunk } = passage;
    const { content, context } = chunk;
    for (const { start, end, text, isWhole } of sentencesOf(content, context.table)) {
      const key = text.toLowerCase();
      if (bySentence.has(key)) continue;
      const terms = termsOf(text);
      // Skips a line, such as a heading, that only repeats the question.
      if (!isWhole && !addsTo(asked, { terms })) continue;
      const quote = content.slice(start, end);
      const related = withRelated(terms, asked);
      bySentence.set(key, { text, quote, pageNumber: pageAt(chunk, start), passage, terms: related });
    }
    read += content.length;
    if (read < CHARACTERS_PER_TURN) continue;
    read = 0;
    await setImmediate();
    throwIfAborted();
  }
  const quotations = [...bySentence.values()];
  const shares = sharesOf(
    question,
    quotations.map(({ terms }) => terms),
  );
  return quotations.map((quotation, index) => ({ ...quotation, share: shares[index] ?? 0 }));
}

/** Function words of any language are short. */
function isShort({ letters }: AskedWord): boolean {
  return letters.length <= SHORT;
}

function addsTo(known: ReadonlySet<string>, { terms }: Pick<Candidate, 'terms'>): boolean {
  return [...terms].some((term) => !known.has(term));
}

function byWords({ share, passage }: Candidate): number {
  return WORDS * share + passage.chunk.score;
}

/** The first quotations that fit into `maxTokens`, without truncation. */
function within(maxTokens: number | null, chosen: readonly Quotation[]): readonly Quotation[] {
  if (maxTokens === null) return chosen;
  let left = maxTokens;
  const beyond = chosen.findIndex(({ text }) => (left -= countTokens(text)) < 0);
  return beyond === -1 ? chosen : chosen.slice(0, beyond);
}

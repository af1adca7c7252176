import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LocalTextModel } from '../../embedding/local/local-text-model.js';
import { countTokens } from '../../llm/message-tokens.js';
import { currentSignal, throwIfAborted } from '../../request/request-context.js';
import { pageAt } from '../../retrieval/present.js';
import type { PromptPassage } from '../prompt/prompt.js';
import { type AskedWord, askedWords, PassageWords } from './asked-words.js';
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
  /** Whether the previous answer quoted the best one too. */
  readonly isRepeated: boolean;
}

/**
 * Score of a sentence: `cosine + WORDS x share + score of its chunk`, where the share is the weighted share of the
 * question's words in the sentence. docs/project/performance.md has the measurements of these constants.
 */
const WORDS = 0.5;
/** Number of sentences to embed, preselected by words and chunk score: each costs milliseconds. */
const MAX_EMBEDDED = 8;
/** Share of the best score from which a second sentence is quoted too, or one in place of a repeated one. */
const MIN_SECOND_SHARE = 0.9;
/** Minimum of `cosine + WORDS x share`; below it nothing answers the question. */
const MIN_SUPPORT = 0.5;
/** Minimum share of the question's words: text outside the model's vocabulary is close to every other text. */
const MIN_SHARE = 0.05;
/** Maximum number of question variants that omit a word missing in a passage: each costs an embedding. */
const MAX_VARIANTS = 2;
/**
 * Maximum gain in similarity when a word missing in the passage is omitted from the question. With a synonym in the
 * passage the gain is small; without the named subject it is large.
 */
const MAX_GAIN = 0.1;
/** The same limit for names. */
const MAX_NAME_GAIN = 0.03;

/** Characters to process before yielding to other requests. */
const CHARACTERS_PER_TURN = 10_000;

interface Candidate extends Quotation {
  readonly terms: ReadonlySet<string>;
  readonly share: number;
}

/**
 * Answers without a language model: quotes the best sentence of the passages, and a second one of similar score. The
 * bundled model compares sentences with the question, regardless of EMBEDDING_MODEL: the limits were measured with it,
 * and nothing leaves the machine.
 */
@Injectable()
export class BestPassages {
  constructor(private readonly textModel: LocalTextModel) {}

  /**
   * @param maxTokens of all quotations together; null: no limit
   * @param previous answer to the question that this one follows up; its quotations are avoided. Empty: none
   */
  async quote(
    question: string,
    passages: readonly PromptPassage[],
    maxTokens: number | null,
    previous = '',
  ): Promise<Quotations> {
    const missing = missingByPassage(question, passages);
    const candidates = (await candidatesOf(question, passages))
      .filter(({ passage }) => missing.has(passage))
      .sort((a, b) => byWords(b) - byWords(a))
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
        const support = near + WORDS * candidate.share;
        const isAbout = (missing.get(candidate.passage) ?? []).every((word) => {
          const without = withoutWord.get(word)?.[index] ?? near;
          return without - near <= (word.isName ? MAX_NAME_GAIN : MAX_GAIN);
        });
        return { candidate, support, isAbout, score: support + candidate.passage.chunk.score };
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

/** For each passage that contains all numbers of the question: the question's words that it lacks. */
function missingByPassage(
  question: string,
  passages: readonly PromptPassage[],
): ReadonlyMap<PromptPassage, readonly AskedWord[]> {
  const words = askedWords(question);
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

/** Variants of the question that omit one word, names and long words first, if another content word remains. */
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

/** Short words are often function words; not every language has a list of them. */
function byWeight(a: AskedWord, b: AskedWord): number {
  return Number(b.isName) - Number(a.isName) || b.letters.length - a.letters.length;
}

/** Sentences of all passages; those repeated by overlapping chunks count once, with the best chunk. */
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
      // A line such as a heading that merely repeats the question.
      if (!isWhole && !addsTo(asked, { terms })) continue;
      const quote = content.slice(start, end);
      bySentence.set(key, { text, quote, pageNumber: pageAt(chunk, start), passage, terms });
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

function addsTo(known: ReadonlySet<string>, { terms }: Pick<Candidate, 'terms'>): boolean {
  return [...terms].some((term) => !known.has(term));
}

function byWords({ share, passage }: Candidate): number {
  return WORDS * share + passage.chunk.score;
}

/** The first quotations that fit into `maxTokens`; none is truncated. */
function within(maxTokens: number | null, chosen: readonly Quotation[]): readonly Quotation[] {
  if (maxTokens === null) return chosen;
  let left = maxTokens;
  const beyond = chosen.findIndex(({ text }) => (left -= countTokens(text)) < 0);
  return beyond === -1 ? chosen : chosen.slice(0, beyond);
}

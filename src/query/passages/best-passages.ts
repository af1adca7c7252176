import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LocalTextModel } from '../../embedding/local/local-text-model.js';
import { countTokens } from '../../llm/message-tokens.js';
import { currentSignal, throwIfAborted } from '../../request/request-context.js';
import { pageAt } from '../../retrieval/chunk-pages.js';
import type { PromptPassage } from '../prompt/prompt.js';
import { type AskedWord, askedWords, PassageWords } from './asked-words.js';
import { sentencesOf, sharesOf, termsOf } from './sentences.js';

/** A whole sentence of a passage, or a row of a table with the names of its columns. */
export interface Quotation {
  readonly text: string;
  readonly quote: string;
  /** Of the quote, 1-based; null when unknown. */
  readonly pageNumber: number | null;
  readonly passage: PromptPassage;
}

export interface Quotations {
  /** Best first; none: no sentence answers the question. */
  readonly quotations: readonly Quotation[];
  /** Whether some of them did not fit. */
  readonly isCut: boolean;
}

/**
 * A sentence is scored by `nearness + WORDS x share + score of its chunk`, where the share is that of the question's words
 * which it has. Measured with the rest of these numbers in docs/project/performance.md.
 */
const WORDS = 0.5;
/** Sentences whose vector is made, the best by their words and chunk: each takes some milliseconds. */
const COMPARED = 8;
/** Of the best score; a second sentence that reaches it is given too. */
const NEAR = 0.9;
/** Of `nearness + WORDS x share`: below it nothing comes close to the question. */
const MIN_SUPPORT = 0.5;
/** Of the question's words: a text that the model cannot read is near to every other one. */
const MIN_SHARE = 0.05;
/** Variants of the question without a word that a passage lacks: each takes a vector. */
const MAX_VARIANTS = 2;
/**
 * How much nearer a sentence may be to the question without a word that its passage lacks. A synonym keeps a sentence near;
 * a name or a subject that the passage does not have keeps it away.
 */
const MAX_GAIN = 0.1;
/** The same for a name. */
const MAX_NAME_GAIN = 0.03;

/** Characters of passages that are read before other requests get their turn. */
const AT_ONCE = 10_000;

interface Candidate extends Quotation {
  readonly terms: ReadonlySet<string>;
  readonly share: number;
}

/**
 * Answers without a language model: with the best sentence of the passages, and the second where it is about as good. A
 * bundled model compares them with the question, whatever EMBEDDING_MODEL is, for the limits were measured with one and
 * nothing leaves the machine.
 */
@Injectable()
export class BestPassages {
  constructor(private readonly textModel: LocalTextModel) {}

  /** @param maxTokens of all quotations together; null: no cap */
  async quote(
    question: string,
    passages: readonly PromptPassage[],
    maxTokens: number | null,
  ): Promise<Quotations> {
    const missing = missingByPassage(question, passages);
    const candidates = (await candidatesOf(question, passages))
      .filter(({ passage }) => missing.has(passage))
      .sort((a, b) => byWords(b) - byWords(a))
      .slice(0, COMPARED);
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
    const [best, second] = scored;
    if (best === undefined || best.candidate.share < MIN_SHARE) return { quotations: [], isCut: false };
    const isSecondGiven =
      second !== undefined &&
      second.score >= NEAR * best.score &&
      addsTo(best.candidate.terms, second.candidate);
    const chosen = isSecondGiven ? [best, second] : [best];
    const quotations = within(
      maxTokens,
      chosen.map(({ candidate }) => candidate),
    );
    return { quotations, isCut: quotations.length < chosen.length };
  }
}

/** For each passage with all numbers of the question, the words of the question that it lacks. */
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

/** The question without each of the words, names and long words first, as long as another content word is left. */
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

/** Short words are often grammar, in languages whose function words are not known too. */
function byWeight(a: AskedWord, b: AskedWord): number {
  return Number(b.isName) - Number(a.isName) || b.letters.length - a.letters.length;
}

/** Sentences of all passages; what overlapping chunks repeat counts once, as of the best of them. */
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
      // A line of a page such as a heading that repeats the question.
      if (!isWhole && !addsTo(asked, { terms })) continue;
      const quote = content.slice(start, end);
      bySentence.set(key, { text, quote, pageNumber: pageAt(chunk, start), passage, terms });
    }
    read += content.length;
    if (read < AT_ONCE) continue;
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

/** The first quotations that are no longer than `maxTokens` together: none is cut. */
function within(maxTokens: number | null, chosen: readonly Quotation[]): readonly Quotation[] {
  if (maxTokens === null) return chosen;
  let left = maxTokens;
  const beyond = chosen.findIndex(({ text }) => (left -= countTokens(text)) < 0);
  return beyond === -1 ? chosen : chosen.slice(0, beyond);
}

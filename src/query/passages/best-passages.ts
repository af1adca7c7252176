import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LocalTextModel } from '../../embedding/local/local-text-model.js';
import { countTokens } from '../../llm/message-tokens.js';
import { currentSignal, throwIfAborted } from '../../request/request-context.js';
import { pageAt } from '../../retrieval/chunk-pages.js';
import type { PromptPassage } from '../prompt/prompt.js';
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
  /** Best first; none: the documents do not say it. */
  readonly quotations: readonly Quotation[];
  /** Whether some of them did not fit. */
  readonly isCut: boolean;
}

/**
 * A sentence is scored by `nearness + WORDS x share + score of its chunk`, where the share is that of the question's words
 * which it has. Measured with the rest of these numbers in docs/performance.md.
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

/** Characters of passages that are read before other requests get their turn. */
const AT_ONCE = 10_000;

interface Candidate extends Quotation {
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
    const candidates = (await candidatesOf(question, passages))
      .sort((a, b) => byWords(b) - byWords(a))
      .slice(0, COMPARED);
    const nearness = await this.textModel.nearness(
      question,
      candidates.map(({ text }) => text),
      currentSignal(),
    );
    const scored = candidates
      .map((candidate, index) => {
        const support = (nearness[index] ?? 0) + WORDS * candidate.share;
        return { candidate, support, score: support + candidate.passage.chunk.score };
      })
      .sort((a, b) => b.score - a.score);
    const [best, second] = scored;
    if (best === undefined || best.support < MIN_SUPPORT || best.candidate.share < MIN_SHARE)
      return { quotations: [], isCut: false };
    const chosen = [best, ...(second !== undefined && second.score >= NEAR * best.score ? [second] : [])];
    const quotations = within(
      maxTokens,
      chosen.map(({ candidate }) => candidate),
    );
    return { quotations, isCut: quotations.length < chosen.length };
  }
}

/** Sentences of all passages; what overlapping chunks repeat counts once, as of the best of them. */
async function candidatesOf(question: string, passages: readonly PromptPassage[]): Promise<Candidate[]> {
  const bySentence = new Map<string, Quotation & { readonly terms: ReadonlySet<string> }>();
  let read = 0;
  for (const passage of passages) {
    const { chunk } = passage;
    const { content, context } = chunk;
    for (const { start, end, text } of sentencesOf(content, context.table)) {
      const key = text.toLowerCase();
      if (bySentence.has(key)) continue;
      const quote = content.slice(start, end);
      bySentence.set(key, { text, quote, pageNumber: pageAt(chunk, start), passage, terms: termsOf(text) });
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

import type { CompletionRequest } from '../completion.js';
import { countTokens } from '../message-tokens.js';
import { contentTerms } from '../../lexical/analyse.js';
import { candidatesOf, type Candidate } from './candidates.js';
import { fillSchema } from './filling/fill-schema.js';
import { rank } from './ranking.js';
import { select } from './selection.js';
import { NO_PASSAGES, NO_SUPPORT, wordingOf } from './wording.js';

export interface ExtractiveAnswer {
  /** Their concatenation is the answer. */
  readonly pieces: readonly string[];
  /** False when `maxTokens` cut it short. */
  readonly complete: boolean;
}

/** A question about the documents as such is answered with how the best passage begins. */
const OVERVIEW_TERMS = new Set(
  contentTerms(`document file text passage page summary summarize summarise overview topic content explain describe main
    point briefly short`),
);
const OVERVIEW_SENTENCES = 3;

/** A message of a manual and what it says of it. */
const FOLLOWING_SENTENCES = 3;

/**
 * Answers from the passages of the request, in words or in the shape of its schema.
 * @throws Invalid naming the property that the passages give no value for.
 */
export function answer(request: CompletionRequest): ExtractiveAnswer {
  const { format, grounding } = request;
  if (format.kind !== 'schema') return answerInWords(request);
  const inWords = (): string | null => {
    const { pieces } = answerInWords({ ...request, grounding: { ...grounding, citations: false } });
    return pieces[0] === NO_SUPPORT || pieces[0] === NO_PASSAGES ? null : pieces.join('');
  };
  return { pieces: [JSON.stringify(fillSchema(format.schema, grounding, inWords))], complete: true };
}

function answerInWords({ grounding, maxTokens }: CompletionRequest): ExtractiveAnswer {
  const { question, passages, citations } = grounding;
  if (passages.length === 0) return within([NO_PASSAGES], maxTokens);
  const candidates = candidatesOf(passages);
  const chosen = isOverview(question) ? overview(candidates) : supported(question, candidates);
  return within(chosen.length === 0 ? [NO_SUPPORT] : wordingOf(question, chosen, citations), maxTokens);
}

/** Sentences that answer a question, or, of a pasted message or log, what the line says that they are nearest to. */
function supported(question: string, candidates: readonly Candidate[]): Candidate[] {
  const ranked = rank(question, candidates);
  const chosen = select(question, ranked, candidates);
  const [best] = ranked;
  if (chosen.length > 0 || best === undefined || !question.includes('\n')) return chosen;
  const line = nearestLine(question, best.candidate);
  return withWhatFollows(select(line, rank(line, candidates), candidates), candidates);
}

/** The line of a question that has most terms of a sentence. */
function nearestLine(question: string, { terms }: Candidate): string {
  const lines = question.split('\n').map((line) => ({
    line,
    shared: new Set(contentTerms(line).filter((term) => terms.has(term))).size,
  }));
  return lines.reduce((best, one) => (one.shared > best.shared ? one : best)).line;
}

/** Where the message itself was pasted, what is sought stands behind it. */
function withWhatFollows(chosen: readonly Candidate[], candidates: readonly Candidate[]): Candidate[] {
  const [first] = chosen;
  if (chosen.length !== 1 || first === undefined) return [...chosen];
  const at = candidates.indexOf(first);
  return candidates
    .slice(at, at + FOLLOWING_SENTENCES)
    .filter(({ passage, sentence }) => passage === first.passage && sentence.block === first.sentence.block);
}

function isOverview(question: string): boolean {
  return contentTerms(question).every((term) => OVERVIEW_TERMS.has(term));
}

function overview(candidates: readonly Candidate[]): Candidate[] {
  const first = candidates[0]?.passage;
  return candidates
    .filter(({ passage, isQuestion }) => passage === first && !isQuestion)
    .slice(0, OVERVIEW_SENTENCES);
}

/** Whole pieces as far as the budget goes; a first piece that is over it is cut between words. */
function within(pieces: readonly string[], maxTokens: number | null): ExtractiveAnswer {
  if (maxTokens === null) return { pieces, complete: true };
  const kept: string[] = [];
  let text = '';
  for (const piece of pieces) {
    if (countTokens(text + piece) > maxTokens) break;
    kept.push(piece);
    text += piece;
  }
  const [first] = pieces;
  if (kept.length === 0 && first !== undefined) return { pieces: cut(first, maxTokens), complete: false };
  return { pieces: kept, complete: kept.length === pieces.length };
}

function cut(piece: string, maxTokens: number): string[] {
  const ends = Array.from(piece.matchAll(/\S+/g), ({ 0: word, index }) => index + word.length);
  const fits = (words: number): boolean => countTokens(piece.slice(0, ends[words - 1])) <= maxTokens;
  // The most words that fit lie between these two.
  let [kept, beyond] = [0, ends.length + 1];
  while (beyond - kept > 1) {
    const middle = Math.floor((kept + beyond) / 2);
    if (fits(middle)) kept = middle;
    else beyond = middle;
  }
  return [kept === 0 ? '' : piece.slice(0, ends[kept - 1])];
}

import { setImmediate } from 'node:timers/promises';
import { NO_CONTEXT } from '#reader';
import { Invalid, type Location } from '../../errors/index.js';
import { type ChatMessage, type LanguageModel, messageText } from '../../models/llm/language-model.js';
import { countMessages, countTools, IMAGE_TOKENS } from '../../models/llm/prompt-parts.js';
import { repairTokens } from '../../models/llm/structured/structured-output.js';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';
import {
  assemblePrompt,
  countPlaceholder,
  passageBlock,
  type PromptParts,
  type PromptPassage,
} from './prompt.js';
import { DEFAULT_QUERY_TEMPLATE } from './prompts.js';
import { pagesOf } from '../../retrieval/present.js';

/** Number of tokens reserved for the answer if the request sets no limit. */
const USUAL_ANSWER_TOKENS = 1_024;
/** Maximum share of the context window that is reserved if the request sets no limit. Matters for small windows. */
const ANSWER_SHARE = 0.25;

export interface ExpectedAnswer {
  /** Maximum number of tokens of the answer; null: no limit. */
  readonly maxTokens: number | null;
  /** Whether the answer must match a schema. A second model call may then repair it. */
  readonly shaped: boolean;
}

/** A part of a prompt that the caller wrote. */
export interface WrittenPart {
  readonly place: Location;
  readonly length: number;
}

/**
 * Number of tokens that a prompt and its answer leave in the context window. Negative if the prompt is too long; the
 * amount is then meaningless.
 */
export function roomBeside(
  model: LanguageModel,
  messages: readonly ChatMessage[],
  { maxTokens, shaped }: ExpectedAnswer,
): number {
  const answer = maxTokens ?? Math.min(USUAL_ANSWER_TOKENS, Math.floor(model.contextWindow * ANSWER_SHARE));
  const repair = shaped ? repairTokens(model) : 0;
  return model.contextWindow - answer - repair - countMessages(messages, model, model.contextWindow);
}

/**
 * The error for a prompt that exceeds the context window. The error is located at the longest part that the caller
 * wrote.
 */
export function tooLong(model: LanguageModel, written: readonly WrittenPart[]): Invalid {
  const { place } = written.reduce((longest, part) => (part.length > longest.length ? part : longest));
  return Invalid.at(place, `Value error, does not fit into ${windowOf(model)}`);
}

/**
 * Checks that a prompt fits into the context window.
 *
 * @param room number of tokens that the prompt leaves, see {@link roomBeside}
 * @param cap limit on the tokens of the answer, and the location of this limit in the request
 * @throws Invalid if the room is negative. The error is located at the cap if a lower cap would leave room, otherwise
 *   at the longest part.
 */
export function requireRoom(
  model: LanguageModel,
  room: number,
  { maxTokens, capAt }: { readonly maxTokens: number | null; readonly capAt: Location },
  written: readonly WrittenPart[],
): void {
  if (room >= 0) return;
  if (maxTokens !== null && room + maxTokens > 0) {
    throw Invalid.at(capAt, `Value error, leaves no room for the question in ${windowOf(model)}`);
  }
  throw tooLong(model, written);
}

function windowOf({ contextWindow }: LanguageModel): string {
  return `the context window of ${contextWindow} tokens`;
}

/** Number of chunks that are counted or compared before the event loop serves other requests. */
const CHUNKS_PER_TURN = 50;

/** Maximum number of tokens that are added when a passage is tokenized together with the prompt lines around it. */
const TOKENS_PER_PASSAGE = 2;
const BLANK: PromptPassage = {
  number: 1,
  asImage: false,
  chunk: {
    documentId: '',
    chunkNumber: 0,
    content: '',
    context: NO_CONTEXT,
    score: 0,
    metadata: {},
    contentType: 'text/plain',
    filename: null,
    downloadUrl: null,
    isPadding: false,
    pageNumber: null,
    overlap: null,
    imageKey: null,
  },
};
const SAMPLE_KEY = 'x9Qz-7Kp_3Rw';

export interface FittedPassages {
  readonly passages: readonly PromptPassage[];
  /** Number of omitted chunks, which have the lowest ranks. */
  readonly dropped: number;
}

/** Number of tokens that are left for more conversation and passages; negative if even the question does not fit. */
function roomIn(
  model: LanguageModel,
  parts: PromptParts,
  maxTokens: number | null,
  withPassages: boolean,
): number {
  const bare = assemblePrompt(parts, withPassages ? [BLANK] : []);
  const offered = countTools(parts.tools ?? undefined, model, model.contextWindow);
  return roomBeside(model, bare, { maxTokens, shaped: parts.schema !== null }) - offered;
}

/** Maximum size of the conversation beside passages: a share of the context window, and a number of tokens. */
const CONVERSATION_SHARE = 0.25;
const MAX_CONVERSATION_TOKENS = 8_000;

/**
 * Maximum number of tokens for the conversation. Beside passages, it is at most half of the free tokens. Without a
 * search, it is all free tokens.
 */
export function conversationRoom(model: LanguageModel, parts: PromptParts, maxTokens: number | null): number {
  const free = Math.max(0, roomIn(model, { ...parts, history: [] }, maxTokens, parts.searches));
  if (!parts.searches) return free;
  const share = Math.floor(model.contextWindow * CONVERSATION_SHARE);
  return Math.min(MAX_CONVERSATION_TOKENS, share, Math.floor(free / 2));
}

/**
 * Takes chunks in rank order as long as they fit into the context window together with the rest of the prompt and the
 * tokens reserved for the answer.
 *
 * @param capAt location of `max_tokens` in the request.
 * @throws Invalid if the question or `max_tokens` alone exceeds the context window.
 */
export async function fitPassages(
  model: LanguageModel,
  parts: PromptParts,
  maxTokens: number | null,
  chunks: readonly RetrievedChunk[],
  capAt: Location = ['body', 'max_tokens'],
): Promise<FittedPassages> {
  const room = roomIn(model, parts, maxTokens, chunks.length > 0);
  requireRoom(model, room, { maxTokens, capAt }, writtenIn(parts));
  const all = chunks.map((chunk, index): PromptPassage => {
    return { number: index + 1, chunk, asImage: chunk.imageKey !== null && model.vision };
  });
  // A text has at most as many tokens as bytes. This bound usually makes counting tokens unnecessary.
  const times = countPlaceholder(parts.template ?? DEFAULT_QUERY_TEMPLATE, 'context');
  const bytes = (text: string): number => Buffer.byteLength(text);
  const bound = all.reduce((sum, passage) => sum + costOf(passage, times, bytes), 0);
  const kept = bound <= room ? all.length : await countFitting(all, times, room, model);
  return { passages: all.slice(0, kept), dropped: all.length - kept };
}

async function countFitting(
  all: readonly PromptPassage[],
  times: number,
  room: number,
  model: LanguageModel,
): Promise<number> {
  let used = 0;
  for (const [index, passage] of all.entries()) {
    used += costOf(passage, times, (text) => model.countTokens(text));
    if (used > room) return index;
    if (index % CHUNKS_PER_TURN === 0) await setImmediate();
  }
  return all.length;
}

/**
 * Number of tokens that a passage adds to the prompt.
 *
 * @param times number of times that the prompt contains the text of the passages; an image is sent once
 */
function costOf(passage: PromptPassage, times: number, count: (text: string) => number): number {
  const image = passage.asImage ? IMAGE_TOKENS : 0;
  return image + times * (count(passageBlock(passage, SAMPLE_KEY)) + TOKENS_PER_PASSAGE);
}

function writtenIn(parts: PromptParts): WrittenPart[] {
  const { question, instructions, template, schema, tools, sinceQuestion } = parts;
  const lengthOf = (value: unknown): number => (value === null ? 0 : JSON.stringify(value).length);
  const override = ['body', 'prompt_overrides', 'query'];
  return [
    { place: ['body', 'query'], length: question === null ? 0 : messageText({ content: question }).length },
    { place: [...override, 'prompt_template'], length: template?.length ?? 0 },
    { place: [...override, 'system_prompt'], length: instructions?.length ?? 0 },
    { place: ['body', 'schema'], length: lengthOf(schema) },
    { place: ['body', 'tools'], length: lengthOf(tools) },
    { place: ['body', 'messages'], length: sinceQuestion.length === 0 ? 0 : lengthOf(sinceQuestion) },
  ];
}

const SHINGLE = 5;
/** Minimum Jaccard similarity of near-duplicates. */
const MIN_SIMILARITY = 0.9;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const NUMBER = /\p{N}/u;

/**
 * Removes chunks that are duplicates or near-duplicates of an earlier chunk. Near-duplicates have nearly the same
 * words, and the same numbers in the same order. Reports that differ only in a year or an amount are therefore not
 * near-duplicates. Texts are compared by the Jaccard similarity of their shingles (Broder, "On the resemblance and
 * containment of documents", 1997).
 *
 * Page images are kept. With `pagesAsText`, a passage is also removed if each of its pages was already kept as a whole
 * page.
 */
export async function withoutNearDuplicates(
  chunks: readonly RetrievedChunk[],
  { pagesAsText = false } = {},
): Promise<RetrievedChunk[]> {
  const texts = new Map<string, ReadonlySet<string>[]>(); // shingles of each text, by the numbers in the text
  const pages = new Set<string>();
  const kept: RetrievedChunk[] = [];
  for (const [index, chunk] of chunks.entries()) {
    if (index % CHUNKS_PER_TURN === CHUNKS_PER_TURN - 1) await setImmediate();
    const own = pagesOf(chunk).map((page) => `${chunk.documentId} ${page}`);
    if (chunk.imageKey !== null) {
      if (chunk.content !== '') for (const page of own) pages.add(page);
      kept.push(chunk);
      continue;
    }
    const isThere = pagesAsText && own.length > 0 && own.every((page) => pages.has(page));
    if (!isThere && addIfNew(chunk.content, texts)) {
      kept.push(chunk);
    }
  }
  return kept;
}

/** Whether a text is new: no text so far is a near-duplicate of it. Adds a new text to `texts`. */
function addIfNew(content: string, texts: Map<string, ReadonlySet<string>[]>): boolean {
  const words = content.normalize('NFKC').toLowerCase().match(WORD) ?? [];
  const numbers = words.filter((word) => NUMBER.test(word)).join(' ');
  const others = texts.get(numbers) ?? [];
  const count = Math.max(1, words.length - SHINGLE + 1);
  const shingles = new Set(
    Array.from({ length: count }, (_, index) => words.slice(index, index + SHINGLE).join(' ')),
  );
  if (others.some((other) => areNearDuplicates(shingles, other))) return false;
  texts.set(numbers, [...others, shingles]);
  return true;
}

/** Whether two texts are near-duplicates. For unrelated texts, it stops after about a tenth of the shingles. */
function areNearDuplicates(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  let most = a.size - (MIN_SIMILARITY / (1 + MIN_SIMILARITY)) * (a.size + b.size); // shingles that b may still lack
  for (const shingle of a) {
    if (most < 0) return false;
    if (!b.has(shingle)) most -= 1;
  }
  return most >= 0;
}

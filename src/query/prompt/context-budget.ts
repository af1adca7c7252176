import { setImmediate } from 'node:timers/promises';
import { NO_CONTEXT } from '../../lexical/chunk-context.js';
import { Invalid, type Location } from '../../errors/index.js';
import type { ChatMessage, LanguageModel } from '../../llm/language-model.js';
import { countMessages, countTools, IMAGE_TOKENS } from '../../llm/message-tokens.js';
import { repairTokens } from '../../llm/structured/structured-output.js';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';
import { assemblePrompt, passageBlock, type PromptParts, type PromptPassage } from './prompt.js';
import { countPlaceholder, DEFAULT_QUERY_TEMPLATE } from './prompts.js';

/** Room for the answer when a request sets no cap. */
const USUAL_ANSWER_TOKENS = 1_024;
/** Of a small window the answer takes at most this share. */
const ANSWER_SHARE = 0.25;

export interface ExpectedAnswer {
  /** Tokens; null: no cap. */
  readonly maxTokens: number | null;
  /** It has to be valid against a schema, so that the model may be asked once more. */
  readonly shaped: boolean;
}

/** Something that the caller wrote into a prompt. */
export interface WrittenPart {
  readonly place: Location;
  readonly length: number;
}

/**
 * Tokens that the window has left beside a prompt and its answer; negative when the prompt is too long. How much too
 * long is not counted out.
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

/** For a prompt that the window does not hold: at the longest part that the caller wrote. */
export function tooLong(model: LanguageModel, written: readonly WrittenPart[]): Invalid {
  const { place } = written.reduce((longest, part) => (part.length > longest.length ? part : longest));
  return Invalid.at(place, `Value error, is longer than ${windowOf(model)} allows`);
}

/**
 * @param room tokens that the prompt leaves
 * @param cap of the answer, and where the request has it
 * @throws Invalid for a negative room: at the cap when a smaller cap leaves room, else at the longest part.
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

/** How many chunks are counted before other requests get their turn. */
const COUNTED_AT_ONCE = 50;

/** Joining lines may cost a token each. */
const PER_PASSAGE = 2;
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
  /** Whole chunks left out, the lowest-ranked ones. */
  readonly dropped: number;
}

/** Tokens that are left for conversation and passages; negative when not even the question fits. */
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

/** Tokens that the conversation may take: half of what is free, so that passages find room too. */
export function conversationRoom(model: LanguageModel, parts: PromptParts, maxTokens: number | null): number {
  return Math.max(0, Math.floor(roomIn(model, { ...parts, history: [] }, maxTokens, true) / 2));
}

/**
 * Takes chunks in rank order as long as they fit beside the rest of the prompt and the room for the answer.
 * @param capAt where the request says `max_tokens`.
 * @throws Invalid when the question or `max_tokens` alone is more than the model reads.
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
  // No text has more tokens than bytes: mostly that settles it without counting.
  const times = countPlaceholder(parts.overrides?.prompt_template ?? DEFAULT_QUERY_TEMPLATE, 'context');
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
    if (index % COUNTED_AT_ONCE === 0) await setImmediate();
  }
  return all.length;
}

/** @param times that the text of the passages stands in the prompt; images come once. */
function costOf(passage: PromptPassage, times: number, count: (text: string) => number): number {
  const image = passage.asImage ? IMAGE_TOKENS : 0;
  return image + times * (count(passageBlock(passage, SAMPLE_KEY)) + PER_PASSAGE);
}

function writtenIn({ question, overrides, schema, tools, sinceQuestion }: PromptParts): WrittenPart[] {
  const lengthOf = (value: unknown): number => (value === null ? 0 : JSON.stringify(value).length);
  const override = ['body', 'prompt_overrides', 'query'];
  return [
    { place: ['body', 'query'], length: question?.length ?? 0 },
    { place: [...override, 'prompt_template'], length: overrides?.prompt_template?.length ?? 0 },
    { place: [...override, 'system_prompt'], length: overrides?.system_prompt?.length ?? 0 },
    { place: ['body', 'schema'], length: lengthOf(schema) },
    { place: ['body', 'tools'], length: lengthOf(tools) },
    { place: ['body', 'messages'], length: sinceQuestion.length === 0 ? 0 : lengthOf(sinceQuestion) },
  ];
}

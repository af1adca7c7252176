import { setImmediate } from 'node:timers/promises';
import { Invalid } from '../../errors/index.js';
import type { ChatMessage } from '../../llm/completion.js';
import type { LanguageModel } from '../../llm/language-model.js';
import { countMessages, IMAGE_TOKENS } from '../../llm/message-tokens.js';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';
import { assemblePrompt, type PromptParts } from './assemble.js';
import { passageBlock, type PromptPassage } from './context-block.js';

/** Room for the answer when a request sets no cap. */
const USUAL_ANSWER_TOKENS = 1_024;
/** Of a small window the answer takes at most this share. */
const ANSWER_SHARE = 0.25;
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
    score: 0,
    metadata: {},
    contentType: 'text/plain',
    filename: null,
    downloadUrl: null,
    isPadding: false,
    pageNumber: null,
    isImage: false,
  },
};
const SAMPLE_KEY = 'x9Qz-7Kp_3Rw';

export interface FittedPassages {
  readonly passages: readonly PromptPassage[];
  /** Whole chunks left out, the lowest-ranked ones. */
  readonly dropped: number;
}

/** Tokens kept free for the answer. */
export function answerReserve(model: LanguageModel, maxTokens: number | null): number {
  return maxTokens ?? Math.min(USUAL_ANSWER_TOKENS, Math.floor(model.contextWindow * ANSWER_SHARE));
}

/**
 * Takes chunks in rank order as long as they fit beside the rest of the prompt and the room for the answer.
 * @throws Invalid when the question or `max_tokens` alone is more than the model reads.
 */
export async function fitPassages(
  model: LanguageModel,
  parts: PromptParts,
  maxTokens: number | null,
  chunks: readonly RetrievedChunk[],
): Promise<FittedPassages> {
  const bare = assemblePrompt(parts, chunks.length === 0 ? [] : [BLANK]);
  const room = model.contextWindow - answerReserve(model, maxTokens) - countMessages(bare, model);
  if (room < 0) throw tooLong(model, bare, maxTokens);
  const all = chunks.map((chunk, index): PromptPassage => {
    return { number: index + 1, chunk, asImage: chunk.isImage && model.vision };
  });
  // No text has more tokens than bytes: mostly that settles it without counting.
  const bound = all.reduce((sum, passage) => sum + costOf(passage, (text) => Buffer.byteLength(text)), 0);
  const kept = bound <= room ? all.length : await countFitting(all, room, model);
  return { passages: all.slice(0, kept), dropped: all.length - kept };
}

async function countFitting(
  all: readonly PromptPassage[],
  room: number,
  model: LanguageModel,
): Promise<number> {
  let used = 0;
  for (const [index, passage] of all.entries()) {
    used += costOf(passage, (text) => model.countTokens(text));
    if (used > room) return index;
    if (index % COUNTED_AT_ONCE === 0) await setImmediate();
  }
  return all.length;
}

function costOf(passage: PromptPassage, count: (text: string) => number): number {
  const image = passage.asImage ? IMAGE_TOKENS : 0;
  return image + count(passageBlock(passage, SAMPLE_KEY)) + PER_PASSAGE;
}

function tooLong(model: LanguageModel, bare: readonly ChatMessage[], maxTokens: number | null): Invalid {
  const window = `the context window of ${model.contextWindow} tokens`;
  if (maxTokens !== null && countMessages(bare, model) < model.contextWindow) {
    return Invalid.at(['body', 'max_tokens'], `leaves no room for the question in ${window}`);
  }
  return Invalid.at(['body', 'query'], `is longer than ${window} allows`);
}

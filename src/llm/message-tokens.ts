import { countTokens as countPiece } from 'gpt-tokenizer/encoding/o200k_base';
import type { ChatMessage, ToolUse } from './language-model.js';

/** Overhead tokens of a chat format: per message (role and delimiters), and per prompt (start of the answer). */
const PER_MESSAGE = 4;
const PER_PROMPT = 3;

/** Tokens of an image of 1,600 px under the most expensive common pricing, rounded up. */
export const IMAGE_TOKENS = 1_600;

interface TokenCounter {
  countTokens(text: string): number;
}

/** Characters counted in one call. Counting blocks the event loop, and a bound ends the count between slices. */
const SLICE = 65_536;

/**
 * Counts the tokens of a prompt in the chat format of OpenAI.
 * @param enough bound at which counting stops: a larger result is not exact
 */
export function countMessages(
  messages: readonly ChatMessage[],
  counter: TokenCounter,
  enough = Infinity,
): number {
  let sum = PER_PROMPT;
  for (const message of messages) {
    if (sum > enough) break;
    sum += countMessage(message, counter, enough - sum);
  }
  return sum;
}

/** Counts the tokens of a request's functions. Chat formats print functions about as long as their JSON. */
export function countTools(tools: ToolUse | undefined, counter: TokenCounter, enough = Infinity): number {
  return tools === undefined ? 0 : countText(JSON.stringify(tools.functions), counter, enough);
}

export function countMessage(
  { content, toolCalls }: ChatMessage,
  counter: TokenCounter,
  enough = Infinity,
): number {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
  let sum = PER_MESSAGE;
  if (toolCalls !== undefined) sum += countText(JSON.stringify(toolCalls), counter, enough);
  for (const part of parts) {
    sum += part.type === 'text' ? countText(part.text, counter, enough - sum) : IMAGE_TOKENS;
  }
  return sum;
}

function countText(text: string, counter: TokenCounter, enough: number): number {
  let sum = 0;
  for (let start = 0; start < text.length && sum <= enough; start += SLICE) {
    sum += counter.countTokens(text.slice(start, start + SLICE));
  }
  return sum;
}

/** Characters of a counting window. Byte-pair merging is quadratic in the length of a run without spaces. */
const WINDOW = 512;

/** Counts control tokens in documents as plain text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/** Counts the tokens of `text` in o200k. Overcounts by a few per cent: window borders split words. */
export function countTokens(text: string): number {
  let total = 0;
  for (let start = 0; start < text.length; start += WINDOW) {
    total += countPiece(text.slice(start, start + WINDOW), AS_TEXT);
  }
  return total;
}

import { countTokens as countPiece } from 'gpt-tokenizer/encoding/o200k_base';
import type { ChatMessage, ToolUse } from './language-model.js';

/** What a chat format adds to each message (role and delimiters), and to the whole (the start of the answer). */
const PER_MESSAGE = 4;
const PER_PROMPT = 3;

/** A page of 1,600 px in the dearest of the usual image pricings, rounded up. */
export const IMAGE_TOKENS = 1_600;

interface TokenCounter {
  countTokens(text: string): number;
}

/** Characters of a long text that are counted at once: counting holds up everything else. */
const SLICE = 65_536;

/**
 * Tokens of a prompt, as the formats of the OpenAI family count them.
 * @param enough more than so many are not counted: the result then only says that there are more.
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

/** Tokens of the functions that a prompt offers: formats print them about as JSON does. */
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

/** Merging takes time quadratic in the length of a run without spaces: longer text is counted in windows. */
const WINDOW = 512;

/** What looks like a control token in a document is text like any other. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/** Tokens of `text` in o200k, at most a few per cent too many (a word at a window's edge counts twice). */
export function countTokens(text: string): number {
  let total = 0;
  for (let start = 0; start < text.length; start += WINDOW) {
    total += countPiece(text.slice(start, start + WINDOW), AS_TEXT);
  }
  return total;
}

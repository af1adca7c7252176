import { randomBytes } from 'node:crypto';
import type { JsonSchema } from './structured/json-schema.js';
import { countTokens as countPiece } from 'gpt-tokenizer/encoding/o200k_base';
import type { ChatMessage, ToolUse } from './language-model.js';

/** Stands in a conversation for an answer without text. */
export const NO_ANSWER = '(no answer)';

const freshKey = (): string => randomBytes(9).toString('base64url');

/**
 * Returns a random key for delimiter lines that does not occur in any of the texts. Each request gets a new key, so
 * that no document can contain its delimiters.
 */
export function delimiterKey(texts: readonly string[], draw: () => string = freshKey): string {
  for (;;) {
    const key = draw();
    if (!texts.some((text) => text.includes(key))) return key;
  }
}

/** Returns the prompt's instructions for an answer that matches a schema. Works for models without a JSON mode. */
export function schemaRules(schema: JsonSchema): string {
  return `Answer with one JSON value that is valid against the following JSON Schema, and with nothing else: no explanation, no code fence.\n${JSON.stringify(schema)}`;
}

/**
 * Tokens that the chat format adds to each message for its role and delimiters, and to the prompt for the start of the
 * answer.
 */
const PER_MESSAGE = 4;
const PER_PROMPT = 3;

/** Tokens of an image of 1,600 px by the most expensive of the common pricing rules, rounded up. */
export const IMAGE_TOKENS = 1_600;

interface TokenCounter {
  countTokens(text: string): number;
}

/**
 * Maximum number of characters per call of the token counter. Counting blocks the event loop. After each call, counting
 * stops if the sum exceeds the bound.
 */
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

/**
 * Counts the tokens of a request's functions as JSON. Providers print functions in a prompt in another form, which has
 * about the same length.
 */
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

/**
 * Number of characters that are tokenized at a time. Small, because byte-pair merging takes time quadratic in the
 * length of a run without spaces.
 */
const WINDOW = 512;

/** Makes the tokenizer treat control tokens that occur in a text as plain text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/**
 * Counts the tokens of `text` in o200k. The result is a few per cent too high, because the ends of windows split words.
 */
export function countTokens(text: string): number {
  let total = 0;
  for (let start = 0; start < text.length; start += WINDOW) {
    total += countPiece(text.slice(start, start + WINDOW), AS_TEXT);
  }
  return total;
}

/** Maximum length of a token in characters, with rare exceptions. */
const MAX_TOKEN_LENGTH = 20;

/** The beginning of a text, at most `tokens` long. */
export function beginningOf(text: string, tokens: number, counter: TokenCounter): string {
  let shown = text.slice(0, Math.ceil(tokens * MAX_TOKEN_LENGTH));
  for (let count = counter.countTokens(shown); count > tokens; count = counter.countTokens(shown)) {
    shown = shown.slice(0, Math.floor(shown.length * Math.min(0.9, tokens / count)));
  }
  return shown.length === text.length ? text : shown.replace(/[\uD800-\uDBFF]$/, '');
}

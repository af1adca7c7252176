import type { ChatMessage } from './completion.js';

/** What a chat format adds to each message (role and delimiters), and to the whole (the start of the answer). */
const PER_MESSAGE = 4;
const PER_PROMPT = 3;

/** A page of 1,600 px in the dearest of the usual image pricings, rounded up. */
export const IMAGE_TOKENS = 1_600;

interface TokenCounter {
  countTokens(text: string): number;
}

/** Tokens of a prompt, as the formats of the OpenAI family count them. */
export function countMessages(messages: readonly ChatMessage[], counter: TokenCounter): number {
  return messages.reduce((sum, message) => sum + countMessage(message, counter), PER_PROMPT);
}

export function countMessage({ content }: ChatMessage, counter: TokenCounter): number {
  if (typeof content === 'string') return PER_MESSAGE + counter.countTokens(content);
  return content.reduce(
    (sum, part) => sum + (part.type === 'text' ? counter.countTokens(part.text) : IMAGE_TOKENS),
    PER_MESSAGE,
  );
}

import type { ChatMessage } from '../../llm/completion.js';
import type { LanguageModel } from '../../llm/language-model.js';
import { countMessage } from '../../llm/message-tokens.js';
import type { ChatTurn } from '../chats/chat.types.js';

/** Share of the context window that a conversation may take, and the most it takes of a large one. */
const SHARE = 0.25;
const MAX_TOKENS = 8_000;

/** More turns than the budget ever holds need not be loaded. */
export const MAX_TURNS = 200;

/** A turn as stored, or as a caller gives it. */
export type Turn = Pick<ChatTurn, 'role' | 'content'>;

/**
 * The conversation as messages, within a token budget: the oldest exchanges are left out first, a question always
 * together with its answer.
 * @param free tokens that the rest of the prompt leaves to it.
 */
export function historyWithin(model: LanguageModel, turns: readonly Turn[], free: number): ChatMessage[] {
  let room = Math.min(MAX_TOKENS, Math.floor(model.contextWindow * SHARE), free);
  const kept: ChatMessage[][] = [];
  for (const exchange of exchangesOf(turns).reverse()) {
    for (const message of exchange) {
      room -= countMessage(message, model, room);
      if (room < 0) return kept.reverse().flat();
    }
    kept.push(exchange);
  }
  return kept.reverse().flat();
}

/** Turns from one question to the next. */
function exchangesOf(turns: readonly Turn[]): ChatMessage[][] {
  const exchanges: ChatMessage[][] = [];
  for (const { role, content } of turns) {
    const last = exchanges.at(-1);
    if (last === undefined || role === 'user') exchanges.push([{ role, content }]);
    else last.push({ role, content });
  }
  return exchanges;
}

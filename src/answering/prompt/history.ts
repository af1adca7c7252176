import { type ChatMessage, type LanguageModel, messageText } from '../../models/llm/language-model.js';
import { beginningOf, countMessage } from '../../models/llm/prompt-parts.js';

/** The part of a conversation that fits into a prompt. */
export interface History {
  readonly messages: readonly ChatMessage[];
  /** Whether messages were shortened or omitted. */
  readonly isCut: boolean;
}

/** Minimum number of tokens for a shortened exchange. An earlier exchange with less room is omitted. */
const LEAST_TOKENS = 64;
/** Maximum share of the limit for one exchange that does not fit, if there are earlier exchanges. */
const EXCHANGE_SHARE = 0.5;
/** Maximum share for the question of a shortened exchange. */
const QUESTION_SHARE = 0.5;
/** Maximum number of messages in a shortened exchange. */
const MAX_MESSAGES = 20;

/**
 * Limits a conversation to a number of tokens. The newest exchanges stay. An exchange that is too long is shortened: its
 * question stays, and the beginning of its answer.
 *
 * @param limit maximum number of tokens
 */
export function historyWithin(model: LanguageModel, turns: readonly ChatMessage[], limit: number): History {
  const kept: ChatMessage[][] = [];
  let room = limit;
  let isCut = false;
  for (const exchange of exchangesOf(turns).reverse()) {
    const cost = countExchange(exchange, model, room);
    if (cost <= room) {
      kept.push(exchange);
      room -= cost;
      continue;
    }
    isCut = true;
    if (room < LEAST_TOKENS) break;
    const isOldest = exchange[0] === turns[0];
    const budget = isOldest ? room : Math.min(room, Math.floor(limit * EXCHANGE_SHARE));
    const shortened = shortenedTo(budget, exchange, model);
    kept.push(shortened);
    room -= countExchange(shortened, model, room);
  }
  return { messages: kept.reverse().flat(), isCut };
}

/** Groups turns into exchanges: a question, and everything up to the next question. */
function exchangesOf(turns: readonly ChatMessage[]): ChatMessage[][] {
  const exchanges: ChatMessage[][] = [];
  for (const turn of turns) {
    const last = exchanges.at(-1);
    if (last === undefined || turn.role === 'user') exchanges.push([turn]);
    else last.push(turn);
  }
  return exchanges;
}

/** Number of tokens of an exchange; a number above `enough` is not exact. */
function countExchange(exchange: readonly ChatMessage[], model: LanguageModel, enough: number): number {
  let sum = 0;
  for (const message of exchange) {
    sum += countMessage(message, model, enough - sum);
    if (sum > enough) break;
  }
  return sum;
}

/** Shortens the texts of an exchange, the longest most. Images of the exchange are omitted. */
function shortenedTo(budget: number, exchange: readonly ChatMessage[], model: LanguageModel): ChatMessage[] {
  const [first, ...others] = exchange;
  const question = first?.role === 'user' ? [first] : [];
  const [asked] = question.map((message) => shortened(message, Math.floor(budget * QUESTION_SHARE), model));
  const left = budget - (asked === undefined ? 0 : countMessage(asked, model, budget));
  const rest = answersOf(question.length === 0 ? exchange : others, model, left);
  const costs = rest.map((message) => countMessage(message, model, left));
  const shares = sharesOf(left, costs);
  const answers = rest.map((message, index) => shortened(message, shares[index] ?? 0, model));
  return [...(asked === undefined ? [] : [asked]), ...answers];
}

/**
 * The messages after the question that a shortened exchange keeps. These are all messages, or only the last answer if
 * there are many or if function calls need most of the room. A call without its result would be rejected by providers.
 */
function answersOf(rest: readonly ChatMessage[], model: LanguageModel, room: number): readonly ChatMessage[] {
  if (rest.length <= MAX_MESSAGES) {
    const fixed = rest.reduce(
      (sum, message) => sum + countMessage({ ...message, content: '' }, model, room),
      0,
    );
    if (fixed <= room / 2) return rest;
  }
  const last = rest.findLast(
    (message) =>
      message.role === 'assistant' && message.toolCalls === undefined && messageText(message) !== '',
  );
  return last === undefined || room < LEAST_TOKENS / 2 ? [] : [last];
}

/** Divides a number of tokens among messages: a message gets what it costs, or an equal share of the rest. */
function sharesOf(tokens: number, costs: readonly number[]): number[] {
  const shares = costs.map(() => 0);
  const cheapestFirst = costs.map((cost, index) => ({ cost, index })).sort((a, b) => a.cost - b.cost);
  let left = tokens;
  for (const [position, { cost, index }] of cheapestFirst.entries()) {
    const share = Math.min(cost, Math.floor(left / (costs.length - position)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

const CUT = ' …';

/** A message of at most about `tokens`, with the beginning of its text. */
function shortened(message: ChatMessage, tokens: number, model: LanguageModel): ChatMessage {
  if (countMessage(message, model, tokens) <= tokens) return message;
  const content = messageText(message);
  const fixed = countMessage({ ...message, content: CUT }, model, tokens);
  const beginning = beginningOf(content, Math.max(0, tokens - fixed), model).trimEnd();
  return { ...message, content: beginning === content ? content : `${beginning}${CUT}` };
}

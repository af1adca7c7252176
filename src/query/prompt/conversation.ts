import { contentTerms } from '../../lexical/analyse.js';
import {
  addUsage,
  type ChatMessage,
  type CompletionRequest,
  type LanguageModel,
  NO_USAGE,
  type Usage,
} from '../../llm/language-model.js';
import { countMessage } from '../../llm/message-tokens.js';
import { NoLanguageModel } from '../../llm/no-language-model.js';
import { REWRITING_INSTRUCTIONS } from './prompts.js';

/** Share of the context window that a conversation may take, and the most it takes of a large one. */
const SHARE = 0.25;
const MAX_TOKENS = 8_000;

/** More turns than the budget ever holds need not be loaded. */
export const MAX_TURNS = 200;

/**
 * The conversation as messages, within a token budget: the oldest exchanges are left out first, a question always
 * together with its answer.
 * @param free tokens that the rest of the prompt leaves to it.
 */
export function historyWithin(
  model: LanguageModel,
  turns: readonly ChatMessage[],
  free: number,
): ChatMessage[] {
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

/** Turns from one question to the next, with the calls that one led to. */
function exchangesOf(turns: readonly ChatMessage[]): ChatMessage[][] {
  const exchanges: ChatMessage[][] = [];
  for (const turn of turns) {
    const last = exchanges.at(-1);
    if (last === undefined || turn.role === 'user') exchanges.push([turn]);
    else last.push(turn);
  }
  return exchanges;
}

export interface StandaloneQuestion {
  readonly text: string;
  readonly usage: Usage;
}

/** A rewritten question is about as long as a question. */
const MAX_LENGTH = 600;

/**
 * What to search for when a question leans on a conversation: a model rewrites it; without one, or when the rewriting is
 * no rewriting of the question, the words of the question before it are added.
 */
export async function standaloneQuestion(
  model: LanguageModel,
  question: string,
  history: readonly ChatMessage[],
): Promise<StandaloneQuestion> {
  if (history.length === 0 || standsAlone(question)) return { text: question, usage: NO_USAGE };
  const joined = joinedWithPrevious(question, history);
  // A question of many words has enough to search for, and its rewriting would not fit.
  if (model instanceof NoLanguageModel || question.length > MAX_LENGTH)
    return { text: joined, usage: NO_USAGE };
  const { text, usage } = await model.complete(rewriteRequest(question, history));
  const rewritten = text.trim();
  return {
    text: isRewriting(rewritten, question, history) ? rewritten : joined,
    usage: addUsage(NO_USAGE, usage),
  };
}

function rewriteRequest(question: string, history: readonly ChatMessage[]): CompletionRequest {
  return {
    messages: [
      { role: 'system', content: REWRITING_INSTRUCTIONS },
      { role: 'user', content: `${transcript(history)}\n\nLast message of the user:\n${question}` },
    ],
    format: { kind: 'text' },
    maxTokens: null,
    temperature: null,
  };
}

function transcript(history: readonly ChatMessage[]): string {
  const spoken = history.filter(({ role, content }) => role !== 'tool' && content !== '');
  const lines = spoken.map(
    ({ role, content }) =>
      `${role === 'user' ? 'User' : 'Assistant'}: ${typeof content === 'string' ? content : ''}`,
  );
  return `Conversation:\n${lines.join('\n')}`;
}

/**
 * A rewriting keeps something of the question and adds nothing that neither it nor the conversation speaks of: an
 * answer, a refusal or an invention does not pass.
 */
function isRewriting(text: string, question: string, history: readonly ChatMessage[]): boolean {
  if (text === '' || text.length > MAX_LENGTH || text.includes('\n')) return false;
  const asked = new Set(contentTerms(question));
  const rewritten = contentTerms(text);
  const spoken = new Set(
    history.flatMap(({ content }) => (typeof content === 'string' ? contentTerms(content) : [])),
  );
  const kept = asked.size === 0 || rewritten.some((term) => asked.has(term));
  const added = rewritten.filter((term) => !asked.has(term));
  return kept && added.every((term) => spoken.has(term));
}

const LEANS =
  /\b(?:it|its|they|them|their|that|this|these|those|he|she|his|her|there|one|ones|same|other)\b|^(?:and|but|or|so|what about|how about)\b|[它他她其这那]|それ|これ|あれ/i;
const FEW_TERMS = 2;

/** Words that hardly any English question does without; in other languages it is not known what a question leans on. */
const ENGLISH =
  /\b(?:the|is|are|was|were|do|does|did|can|how|what|which|who|when|where|why|of|to|for|with|an?)\b/i;

/** Whether an English question names its subject itself, so that a call for rewriting it can be saved. */
function standsAlone(question: string): boolean {
  return ENGLISH.test(question) && !leans(question);
}

function leans(question: string): boolean {
  return new Set(contentTerms(question)).size <= FEW_TERMS || LEANS.test(question);
}

/** The question with the content words of the one before it, when it cannot stand alone. */
function joinedWithPrevious(question: string, history: readonly ChatMessage[]): string {
  const previous = history.filter(({ role }) => role === 'user').at(-1)?.content;
  if (typeof previous !== 'string' || !leans(question)) return question;
  const own = new Set(contentTerms(question));
  const words = (previous.match(/[\p{L}\p{N}'-]+/gu) ?? []).filter((word) =>
    contentTerms(word).some((term) => !own.has(term)),
  );
  return words.length === 0 ? question : `${question} ${words.join(' ')}`;
}

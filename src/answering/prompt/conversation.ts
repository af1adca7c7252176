import { contentTerms } from '../../lexical/analyse.js';
import {
  addUsage,
  type ChatMessage,
  type CompletionRequest,
  type LanguageModel,
  messageText,
  NO_USAGE,
  type Usage,
} from '../../models/llm/language-model.js';
import { NoLanguageModel } from '../../models/llm/no-language-model.js';
import { REWRITING_INSTRUCTIONS } from './prompts.js';

/** Maximum number of turns to load. More would hardly fit into the budget. */
export const MAX_TURNS = 200;

export interface StandaloneQuestion {
  readonly text: string;
  readonly usage: Usage;
}

/** Maximum length of a rewritten question, in characters. */
const MAX_LENGTH = 600;

/**
 * Makes a question that depends on the conversation usable for a search. A model rewrites it as a standalone question.
 * Without a model, or if the output is not a rewritten question, appends the content words of the previous question
 * instead.
 */
export async function standaloneQuestion(
  model: LanguageModel,
  question: string,
  history: readonly ChatMessage[],
): Promise<StandaloneQuestion> {
  if (history.length === 0 || isSelfContained(question)) return { text: question, usage: NO_USAGE };
  const joined = joinedWithPrevious(question, history);
  // A long question has enough words for a search, and the rewritten question would be too long.
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
  const spoken = history.filter((message) => message.role !== 'tool' && messageText(message) !== '');
  const lines = spoken.map(
    (message) => `${message.role === 'user' ? 'User' : 'Assistant'}: ${messageText(message)}`,
  );
  return `Conversation:\n${lines.join('\n')}`;
}

/**
 * Whether a text is a rewritten form of the question, and not an answer, a refusal or an invention. A rewritten
 * question keeps at least one word of the original question, and all of its words occur in the question or the
 * conversation.
 */
function isRewriting(text: string, question: string, history: readonly ChatMessage[]): boolean {
  if (text === '' || text.length > MAX_LENGTH || text.includes('\n')) return false;
  const asked = new Set(contentTerms(question));
  const rewritten = contentTerms(text);
  const spoken = new Set(history.flatMap((message) => contentTerms(messageText(message))));
  const kept = asked.size === 0 || rewritten.some((term) => asked.has(term));
  const added = rewritten.filter((term) => !asked.has(term));
  return kept && added.every((term) => spoken.has(term));
}

const LEANS =
  /\b(?:it|its|they|them|their|that|this|these|those|he|she|his|her|there|one|ones|same|other)\b|^(?:and|but|or|so|what about|how about)\b|[它他她其这那]|それ|これ|あれ/i;
const FEW_TERMS = 2;

/**
 * Matches words that occur in almost every English question. A question in another language never counts as
 * self-contained, because its dependence on the context is not detected.
 */
const ENGLISH =
  /\b(?:the|is|are|was|were|do|does|did|can|how|what|which|who|when|where|why|of|to|for|with|an?)\b/i;

/** Whether a question is in English and names its subject, so that it need not be rewritten. */
function isSelfContained(question: string): boolean {
  return ENGLISH.test(question) && !leans(question);
}

function leans(question: string): boolean {
  return new Set(contentTerms(question)).size <= FEW_TERMS || LEANS.test(question);
}

/** Maximum number of earlier questions whose words are appended. */
const MAX_DEPENDENCE = 3;

/**
 * Appends the content words of the previous question if the question depends on its context. If the previous question
 * depends on its context too, also appends the content words of the question before that question, and so on.
 */
function joinedWithPrevious(question: string, history: readonly ChatMessage[]): string {
  const asked = history
    .filter(({ role }) => role === 'user')
    .slice(-MAX_DEPENDENCE)
    .map(messageText);
  let joined = question;
  for (let dependent = question, index = asked.length - 1; leans(dependent) && index >= 0; index -= 1) {
    dependent = asked[index] ?? '';
    joined = withWordsOf(joined, dependent);
  }
  return joined;
}

function withWordsOf(question: string, previous: string): string {
  const own = new Set(contentTerms(question));
  const words = (previous.match(/[\p{L}\p{N}'-]+/gu) ?? []).filter((word) =>
    contentTerms(word).some((term) => !own.has(term)),
  );
  return words.length === 0 ? question : `${question} ${words.join(' ')}`;
}

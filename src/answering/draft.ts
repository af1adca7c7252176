import { Invalid, type Location } from '../errors/index.js';
import { type ChatMessage, type LanguageModel, messageImages } from '../models/llm/language-model.js';
import { requireLanguageModel } from '../models/llm/no-language-model.js';
import { splitReasoning } from '../models/llm/reasoning/reasoning-splitter.js';
import type { CitationForm } from './citations/citations.js';
import type { Prompted } from './model-answers.js';
import { conversationRoom } from './prompt/context-budget.js';
import { historyWithin } from './prompt/history.js';
import { assemblePrompt, callsAsText, type PromptParts, type PromptPassage } from './prompt/prompt.js';
import type { Turn } from './turn.js';

/** A turn with its model and the parts of its prompt. */
export interface Draft {
  readonly turn: Turn;
  readonly model: LanguageModel;
  readonly maxTokens: number | null;
  readonly parts: PromptParts;
  /** Notes on the conversation. */
  readonly notes: readonly string[];
}

/**
 * Drafts the prompt of a turn, without passages.
 * @throws Invalid if the turn needs a model that sees, or any language model, and this model is none
 */
export function draftOf(model: LanguageModel, turn: Turn): Draft {
  requireVision(model, turn);
  requireLanguageModel(model, placesThatNeedOne(turn));
  const maxTokens = turn.maxTokens ?? model.maxTokens;
  return { turn, model, maxTokens, ...partsWithin(model, maxTokens, turn) };
}

/** The parts of a prompt, with as much of the conversation as fits. */
function partsWithin(
  model: LanguageModel,
  maxTokens: number | null,
  turn: Turn,
): Pick<Draft, 'parts' | 'notes'> {
  const { question, tools, schema, search, prompts } = turn;
  const asGiven = (messages: readonly ChatMessage[]) => (tools === null ? callsAsText(messages) : messages);
  const bare: PromptParts = {
    question,
    questionImage: search?.queryImage ?? null,
    history: [],
    sinceQuestion: asGiven(turn.sinceQuestion),
    tools,
    instructions: prompts.instructions,
    template: prompts.template,
    schema,
    citations: citationsOf(turn) !== 'none',
    searches: search !== null,
  };
  if (turn.history.length === 0) return { parts: bare, notes: [] };
  const all = asGiven(turn.history).map(withoutReasoning);
  const { messages, isCut } = historyWithin(model, all, conversationRoom(model, bare, maxTokens));
  return { parts: { ...bare, history: messages }, notes: isCut ? [CUT_CONVERSATION] : [] };
}

const CUT_CONVERSATION =
  'The conversation does not fit into the context window of the model: earlier messages were shortened or omitted';

/** The request of a draft to its model. */
export function prompted(
  { turn, model, maxTokens, parts }: Draft,
  passages: readonly PromptPassage[],
  images: readonly string[],
): Prompted {
  const { schema, calledAs, temperature, tools } = turn;
  return {
    model,
    request: {
      messages: assemblePrompt(parts, passages, images),
      format: { kind: 'text' },
      maxTokens,
      temperature,
      ...(tools === null ? {} : { tools }),
    },
    schema,
    calledAs,
    citations: citationsOf(turn),
    passages,
  };
}

/** An answer in JSON or without a search has no citations. */
export function citationsOf({ citations, schema, search }: Turn): CitationForm {
  return schema === null && search !== null ? citations : 'none';
}

/**
 * Removes the reasoning from an earlier answer. Clients may send reasoning back, and models answer worse if they read
 * it.
 */
function withoutReasoning(message: ChatMessage): ChatMessage {
  if (message.role !== 'assistant' || typeof message.content !== 'string') return message;
  return { ...message, content: splitReasoning(message.content).text };
}

function requireVision(model: LanguageModel, { question, history, search }: Turn): void {
  if (model.vision) return;
  const isAskedByImage = (search?.queryImage ?? null) !== null;
  const messages = [{ content: question ?? '' }, ...history];
  if (!isAskedByImage && messages.every((message) => messageImages(message).length === 0)) return;
  const place = ['body', isAskedByImage ? 'query_image' : 'messages'];
  throw Invalid.at(place, `Value error, the model ${model.name} does not read images`);
}

function placesThatNeedOne({ schema, prompts, tools, calledAs }: Turn): Location[] {
  const steps = [
    ...(prompts.extraction === null ? [] : ['entity_extraction']),
    ...(prompts.resolution === null ? [] : ['entity_resolution']),
  ];
  return [
    ...(schema === null || calledAs !== null ? [] : [['body', 'schema']]),
    ...(tools?.choice === 'required' || calledAs !== null ? [['body', 'tool_choice']] : []),
    ...steps.map((step) => ['body', 'prompt_overrides', step]),
  ];
}

/** Where the request limits the tokens of its answer. */
export function capOf({ maxTokens }: Turn): Location {
  return maxTokens === null ? ['body', 'llm_config', 'max_tokens'] : ['body', 'max_tokens'];
}

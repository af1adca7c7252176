import type { Usage } from './completion.js';

/** What is used of a provider's answer. Providers differ in what they leave out, so everything is looked at first. */
export interface WireAnswer {
  readonly text: string;
  /** The text says why the model does not answer. */
  readonly refused: boolean;
  readonly finishReason: string | null;
  readonly usage: Usage | null;
}

/** Reads a chat completion; null when it is not one. */
export function readAnswer(answer: unknown): WireAnswer | null {
  const choice = firstChoice(answer);
  const message = choice === undefined ? undefined : member(choice, 'message');
  if (!isObject(message)) return null;
  const content = member(message, 'content');
  const refusal = member(message, 'refusal');
  const text = content ?? refusal ?? '';
  if (typeof text !== 'string') return null;
  const refused = typeof refusal === 'string' && (content ?? '') === '';
  return { text, refused, finishReason: finishReasonOf(choice), usage: readUsage(member(answer, 'usage')) };
}

/** Reads one chunk of a stream; one without choices (usage, keep-alive) carries no text. */
export function readChunk(chunk: unknown): WireAnswer {
  const choice = firstChoice(chunk);
  const delta = choice === undefined ? undefined : member(choice, 'delta');
  const text = isObject(delta) ? (delta['content'] ?? delta['refusal']) : undefined;
  return {
    text: typeof text === 'string' ? text : '',
    refused: typeof member(delta, 'refusal') === 'string',
    finishReason: finishReasonOf(choice),
    usage: readUsage(member(chunk, 'usage')),
  };
}

function firstChoice(answer: unknown): Readonly<Record<string, unknown>> | undefined {
  const choices = member(answer, 'choices');
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isObject(choice) ? choice : undefined;
}

function finishReasonOf(choice: unknown): string | null {
  const reason = member(choice, 'finish_reason');
  return typeof reason === 'string' ? reason : null;
}

function readUsage(usage: unknown): Usage | null {
  const promptTokens = member(usage, 'prompt_tokens');
  const completionTokens = member(usage, 'completion_tokens');
  return isCount(promptTokens) && isCount(completionTokens) ? { promptTokens, completionTokens } : null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function member(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

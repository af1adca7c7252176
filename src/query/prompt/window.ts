import { Invalid, type Location } from '../../errors/index.js';
import type { ChatMessage } from '../../llm/completion.js';
import type { LanguageModel } from '../../llm/language-model.js';
import { countMessages } from '../../llm/message-tokens.js';
import { repairTokens } from '../../llm/structured/repair.js';

/** Room for the answer when a request sets no cap. */
const USUAL_ANSWER_TOKENS = 1_024;
/** Of a small window the answer takes at most this share. */
const ANSWER_SHARE = 0.25;

/** What is expected of an answer. */
export interface ExpectedAnswer {
  /** Tokens; null: no cap. */
  readonly maxTokens: number | null;
  /** It has to be valid against a schema, so that the model may be asked once more. */
  readonly shaped: boolean;
}

/** Something that the caller wrote into a prompt. */
export interface WrittenPart {
  readonly place: Location;
  /** Characters. */
  readonly length: number;
}

/**
 * Tokens that the window has left beside a prompt and its answer; negative when the prompt is too long. How much too
 * long is not counted out.
 */
export function roomBeside(
  model: LanguageModel,
  messages: readonly ChatMessage[],
  { maxTokens, shaped }: ExpectedAnswer,
): number {
  const answer = maxTokens ?? Math.min(USUAL_ANSWER_TOKENS, Math.floor(model.contextWindow * ANSWER_SHARE));
  const repair = shaped && model.followsInstructions ? repairTokens(model) : 0;
  return model.contextWindow - answer - repair - countMessages(messages, model, model.contextWindow);
}

/** For a prompt that the window does not hold: at the longest part that the caller wrote. */
export function tooLong(model: LanguageModel, written: readonly WrittenPart[]): Invalid {
  const { place } = written.reduce((longest, part) => (part.length > longest.length ? part : longest));
  return Invalid.at(place, `Value error, is longer than ${windowOf(model)} allows`);
}

export function windowOf({ contextWindow }: LanguageModel): string {
  return `the context window of ${contextWindow} tokens`;
}

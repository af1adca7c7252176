import type { CompletionRequest } from '../completion.js';
import type { LanguageModel } from '../language-model.js';

const MAX_TOKENS = 2_000;
const WINDOW_SHARE = 1 / 8;
/** Of the tokens of a repair: the failed answer, and what is wrong with it. The rest is the words around them. */
const ANSWER_SHARE = 0.5;
const PROBLEMS_SHARE = 0.25;

/** Tokens that a repair adds to a prompt, at most; they have to be kept free for it. */
export function repairTokens({ contextWindow }: Pick<LanguageModel, 'contextWindow'>): number {
  return Math.min(MAX_TOKENS, Math.floor(contextWindow * WINDOW_SHARE));
}

/** The request once more, with the failed answer and what is wrong with it, each as far as there is room for it. */
export function repairRequest(
  model: LanguageModel,
  request: CompletionRequest,
  answer: string,
  problems: readonly string[],
): CompletionRequest {
  const room = repairTokens(model);
  const shown = within(room * ANSWER_SHARE, answer, model);
  const list = within(room * PROBLEMS_SHARE, problems.map((problem) => `- ${problem}`).join('\n'), model);
  return {
    ...request,
    messages: [
      ...request.messages,
      { role: 'assistant', content: shown === '' ? '(no answer)' : shown },
      {
        role: 'user',
        content: `That answer is not valid against the JSON Schema:\n${list}\nAnswer again with the corrected JSON value and nothing else.`,
      },
    ],
  };
}

/** Hardly any token has more characters than that. */
const MAX_TOKEN_LENGTH = 20;

/** The beginning of a text that is no more than so many tokens long. */
function within(tokens: number, text: string, model: LanguageModel): string {
  let shown = text.slice(0, Math.ceil(tokens * MAX_TOKEN_LENGTH));
  for (let count = model.countTokens(shown); count > tokens; count = model.countTokens(shown)) {
    shown = shown.slice(0, Math.floor(shown.length * Math.min(0.9, tokens / count)));
  }
  return shown.length === text.length ? text : shown.replace(/[\uD800-\uDBFF]$/, '');
}

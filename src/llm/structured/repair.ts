import type { CompletionRequest } from '../completion.js';

/** As much of the failed answer as the model is shown again. */
const SHOWN = 8_000;

/** The request once more, with the failed answer and what is wrong with it. */
export function repairRequest(
  request: CompletionRequest,
  answer: string,
  problems: readonly string[],
): CompletionRequest {
  return {
    ...request,
    messages: [
      ...request.messages,
      { role: 'assistant', content: answer === '' ? '(no answer)' : answer.slice(0, SHOWN) },
      {
        role: 'user',
        content: `That answer is not valid against the JSON Schema:\n${problems.map((problem) => `- ${problem}`).join('\n')}\nAnswer again with the corrected JSON value and nothing else.`,
      },
    ],
  };
}

import type { Behaviour } from './behaviour.js';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Call, WireMessage } from './calls.js';

export interface FakeFailure {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Counts the failures of each model name, for `status:codexN`. */
export class Refusals {
  private readonly counts = new Map<string, number>();

  count(model: string): number {
    const count = (this.counts.get(model) ?? 0) + 1;
    this.counts.set(model, count);
    return count;
  }

  forget(): void {
    this.counts.clear();
  }
}

/** A provider's own error text, which must never reach a client of the service. */
export const PROVIDER_WORDS = 'internal provider words with sk-provider-secret';

/** Returns the failure that this behaviour asks for; undefined: the call succeeds. */
export function failureFor(call: Call, behaviour: Behaviour, refusals: Refusals): FakeFailure | undefined {
  const format = call.body.response_format?.type;
  if (behaviour.has('no-tools') && call.body.tools !== undefined) return failure(400);
  if (behaviour.has('no-schema-mode') && format === 'json_schema') return failure(400);
  if (behaviour.has('window') && promptTokens(call) > behaviour.number('window', 0)) {
    return failure(400, {}, 'context_length_exceeded');
  }
  if (behaviour.has('no-json-mode') && format !== undefined) return failure(400);
  const redirect = behaviour.text('redirects');
  if (redirect !== undefined) return { status: 307, headers: { location: redirect }, body: '' };
  if (behaviour.has('garbage')) {
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"choices": [' };
  }
  if (behaviour.has('html')) {
    return { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Gateway</h1>' };
  }
  if (behaviour.has('empty')) {
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"choices": []}' };
  }
  const [code = '', times] = (behaviour.text('status') ?? '').split('x');
  if (code === '' || (times !== undefined && refusals.count(behaviour.model) > Number(times)))
    return undefined;
  const after = behaviour.text('retry-after');
  const waits: Record<string, string> = after === undefined ? {} : { 'retry-after': after };
  if (!behaviour.has('repeats-key')) return failure(Number(code), waits);
  const key = call.headers.authorization?.replace('Bearer ', '') ?? '';
  return failure(Number(code), { ...waits, 'x-key': key }, key, `Incorrect API key provided: ${key}`);
}

function failure(
  status: number,
  headers: Record<string, string> = {},
  code: string | null = null,
  message = PROVIDER_WORDS,
): FakeFailure {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ error: { message, type: 'fake', code } }),
  };
}

/**
 * Counts the tokens of a prompt like the OpenAI API: four more for each message, and three for the start of the answer.
 */
function promptTokens({ body }: Call): number {
  const text = ({ content }: WireMessage): string =>
    typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
  const asked = body['max_tokens'] ?? body['max_completion_tokens'] ?? 0;
  return body.messages.reduce((sum, message) => sum + 4 + countTokens(text(message)), 3 + Number(asked));
}

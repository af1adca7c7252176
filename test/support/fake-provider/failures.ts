import type { Behaviour } from './behaviour.js';
import type { Call } from './calls.js';

export interface FakeFailure {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** How often a model name has failed already, for `status:codexN`. */
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

/** Words that must never reach a client of the service: a provider's own error text. */
export const PROVIDER_WORDS = 'internal provider words with sk-provider-secret';

/** The failure that the behaviour asks for, if any. */
export function failureFor(call: Call, behaviour: Behaviour, refusals: Refusals): FakeFailure | undefined {
  const format = call.body.response_format?.type;
  if (behaviour.has('no-schema-mode') && format === 'json_schema') return failure(400);
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
  return failure(Number(code), after === undefined ? {} : { 'retry-after': after });
}

function failure(status: number, headers: Record<string, string> = {}): FakeFailure {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ error: { message: PROVIDER_WORDS, type: 'fake', code: null } }),
  };
}

import { DeadlineExceeded, TooManyRequests } from '../../errors/index.js';
import { modelCalls, type CallOutcome, type ModelKind } from '../../telemetry/metrics.js';
import { inSpan, SpanKind } from '../../telemetry/spans.js';
import { RateLimited, RequestRefused, TransientFailure, UnusableAnswer } from './failures.js';

/**
 * Makes one call to a model within a span and records its duration and outcome.
 * @param signal aborts when no caller waits for the call any more
 */
export async function observedCall<T>(
  kind: ModelKind,
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  const end = modelCalls.startTimer({ kind });
  try {
    const answer = await inSpan(`model ${kind}`, described(kind), call);
    end({ outcome: 'ok' });
    return answer;
  } catch (error) {
    end({ outcome: outcomeOf(error, signal) });
    throw error;
  }
}

function described(kind: ModelKind) {
  return { kind: SpanKind.CLIENT, attributes: { 'lectern.model.kind': kind } };
}

function outcomeOf(error: unknown, signal: AbortSignal | undefined): CallOutcome {
  if (error instanceof DeadlineExceeded) return 'timeout';
  if (signal?.aborted) return 'aborted';
  if (error instanceof RateLimited || error instanceof TooManyRequests) return 'rate_limited';
  if (error instanceof TransientFailure) return 'unavailable';
  if (error instanceof RequestRefused) return 'refused';
  return error instanceof UnusableAnswer ? 'unusable' : 'error';
}

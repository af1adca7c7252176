import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api';

export { SpanKind };

/** Creates spans. Without the SDK from `otlp.ts` they are discarded. */
const tracer = trace.getTracer('lectern');

/** Attributes of a span. They never contain a text, a parameter or a key. */
interface Described {
  readonly kind: SpanKind;
  readonly attributes: Attributes;
}

/** Runs `work` in a child span of the current one. A failed span records the error class, not the message. */
export function inSpan<T>(name: string, described: Described, work: () => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(name, described, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute('error.type', error instanceof Error ? error.constructor.name : typeof error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Runs `work` like {@link inSpan} inside a span; without one it only runs `work`. */
export function inChildSpan<T>(name: string, described: Described, work: () => Promise<T>): Promise<T> {
  return trace.getActiveSpan() === undefined ? work() : inSpan(name, described, work);
}

/** A span that outlives a function, with the context for its children. */
export interface OpenSpan {
  readonly span: Span;
  readonly within: Context;
}

/** @param headers of a request, which may name the parent span (W3C Trace Context) */
export function openSpan(name: string, described: Described, headers: object): OpenSpan {
  const sender = propagation.extract(ROOT_CONTEXT, headers);
  const span = tracer.startSpan(name, described, sender);
  return { span, within: trace.setSpan(sender, span) };
}

/** Runs `work` with `open` as the current span. */
export function within<T>(open: OpenSpan, work: () => T): T {
  return context.with(open.within, work);
}

/** Ends the span of a request with the status of its response. */
export function closeSpan({ span }: OpenSpan, statusCode: number): void {
  span.setAttribute('http.response.status_code', statusCode);
  if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

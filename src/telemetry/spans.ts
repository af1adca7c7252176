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

/** Without an SDK behind it, which `otlp.ts` brings, it makes spans that nothing is kept of. */
const tracer = trace.getTracer('lectern');

/** What a span says beside its name: never a text, a parameter or a key of anybody. */
interface Described {
  readonly kind: SpanKind;
  readonly attributes: Attributes;
}

/** Runs `work` in a span of its own, a child of the present one. A failure leaves its class there, not its message. */
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

/** As {@link inSpan} where there is a span to be a child of; otherwise `work` alone. */
export function inChildSpan<T>(name: string, described: Described, work: () => Promise<T>): Promise<T> {
  return trace.getActiveSpan() === undefined ? work() : inSpan(name, described, work);
}

/** A span that lasts longer than a function, and the context in which others are its children. */
export interface OpenSpan {
  readonly span: Span;
  readonly within: Context;
}

/** @param headers of a request, which may name the span of its sender (W3C Trace Context) */
export function openSpan(name: string, described: Described, headers: object): OpenSpan {
  const sender = propagation.extract(ROOT_CONTEXT, headers);
  const span = tracer.startSpan(name, described, sender);
  return { span, within: trace.setSpan(sender, span) };
}

/** Runs `work` where `open` is the present span. */
export function within<T>(open: OpenSpan, work: () => T): T {
  return context.with(open.within, work);
}

/** Ends a span of a request by the status of its answer. */
export function closeSpan({ span }: OpenSpan, statusCode: number): void {
  span.setAttribute('http.response.status_code', statusCode);
  if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

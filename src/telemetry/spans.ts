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

/** Creates spans. They have no effect unless `otlp.ts` has started the SDK. */
const tracer = trace.getTracer('lectern');

/** Kind and attributes of a span. Attributes never contain text from users, parameters of statements, or keys. */
interface Described {
  readonly kind: SpanKind;
  readonly attributes: Attributes;
}

/**
 * Runs `work` in a child span of the current span. If it fails, the span records the class of the error, but not its
 * message.
 */
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

/** Like {@link inSpan}, but creates a span only if a current span exists. */
export function inChildSpan<T>(name: string, described: Described, work: () => Promise<T>): Promise<T> {
  return trace.getActiveSpan() === undefined ? work() : inSpan(name, described, work);
}

/** A span that {@link closeSpan} ends, and the context for its child spans. */
export interface OpenSpan {
  readonly span: Span;
  readonly within: Context;
}

/**
 * Starts a span for a request.
 *
 * @param headers headers of the request; they may name the parent span (W3C Trace Context)
 */
export function openSpan(name: string, described: Described, headers: object): OpenSpan {
  const sender = propagation.extract(ROOT_CONTEXT, headers);
  const span = tracer.startSpan(name, described, sender);
  return { span, within: trace.setSpan(sender, span) };
}

/** Runs `work` with `open` as the current span. */
export function within<T>(open: OpenSpan, work: () => T): T {
  return context.with(open.within, work);
}

/** The attribute with the tenant of a span. */
export const TENANT = 'lectern.app_id';

/** Ends the span of a request with the status of its response. @param tenant undefined without a valid key */
export function closeSpan({ span }: OpenSpan, statusCode: number, tenant: string | undefined): void {
  span.setAttribute('http.response.status_code', statusCode);
  if (tenant !== undefined) span.setAttribute(TENANT, tenant);
  if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

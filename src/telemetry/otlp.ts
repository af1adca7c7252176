import { Logger } from '@nestjs/common';
import { context, diag, DiagLogLevel, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { getBooleanFromEnv, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

/** Maximum time in milliseconds for sending the last spans when the process ends. */
const LAST_SPANS_MS = 3_000;

/**
 * Sends spans to OTEL_EXPORTER_OTLP_ENDPOINT by OTLP over HTTP, as JSON. The libraries read the standard OTEL_*
 * variables themselves. Import this file only if OTEL_EXPORTER_OTLP_ENDPOINT is set, because the import loads the SDK.
 * @returns a function that sends the remaining spans and stops tracing
 */
export function startTracing(): () => Promise<void> {
  if (getBooleanFromEnv('OTEL_SDK_DISABLED')) return () => Promise.resolve();
  reportProblems();
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'lectern' }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return () => ended(provider);
}

/** Logs errors of the libraries, for example an unreachable collector. */
function reportProblems(): void {
  const logger = new Logger('Traces');
  const warn = (message: string): void => {
    logger.warn(message);
  };
  const ignore = (): undefined => undefined;
  const levels = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(levels, DiagLogLevel.WARN);
}

async function ended(provider: BasicTracerProvider): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LAST_SPANS_MS);
  });
  try {
    await Promise.race([provider.shutdown(), late]);
  } catch (error) {
    new Logger('Traces').warn({ err: error }, 'cannot send the last spans');
  } finally {
    clearTimeout(timer);
  }
}

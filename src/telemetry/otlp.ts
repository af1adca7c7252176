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

/** How long the end of the process waits for the last spans to be sent. */
const LAST_SPANS_MS = 3_000;

/**
 * Sends spans to OTEL_EXPORTER_OTLP_ENDPOINT by OTLP over HTTP, as JSON. The libraries read the standard OTEL_*
 * variables themselves. This file is loaded only where that setting is made: without it no part of the SDK is.
 * @returns sends what is left, and ends
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

/** Writes what the libraries complain about, a collector that is away for one, to the log of the service. */
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
    new Logger('Traces').warn({ err: error }, 'the last spans could not be sent');
  } finally {
    clearTimeout(timer);
  }
}

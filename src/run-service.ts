import 'reflect-metadata';
import { AppModule } from './app.module.js';
import { inDataFolder } from './config/data-folder.js';
import { ConfigurationError, readSettings } from './config/read-settings.js';
import type { Settings } from './config/settings.js';
import { modelsLoaded } from './models/embedding/local/model-thread.js';
import { StartRefused } from './errors/index.js';
import { createHttpApplication } from './http/create-http-application.js';
import { prepareStart, start } from './start.js';

/**
 * Runs the service with the settings in the environment. If the start fails, the process ends with a message and exit
 * code 1.
 */
export async function runService(): Promise<void> {
  prepareStart();
  try {
    const settings = readSettings(process.env);
    const endTracing = await tracing(settings);
    await inDataFolder(settings, async () => {
      await start(await createHttpApplication(AppModule.with(settings), settings), settings, endTracing);
    });
  } catch (error) {
    if (error instanceof ConfigurationError) for (const problem of error.problems) console.error(problem);
    else if (error instanceof StartRefused) console.error(error.message);
    else console.error(error);
    await modelsLoaded();
    process.exit(1);
  }
}

/** Starts tracing if a collector is configured. @returns a function that stops tracing */
export async function tracing({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
}: Settings): Promise<() => Promise<void>> {
  if (endpoint === undefined) return () => Promise.resolve();
  const { startTracing } = await import('./telemetry/otlp.js');
  return startTracing();
}

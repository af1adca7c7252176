import 'reflect-metadata';
import { AppModule } from '../../src/app.module.js';
import { inDataFolder } from '../../src/config/data-folder.js';
import { localUrl } from '../../src/config/local-url.js';
import { readSettings } from '../../src/config/read-settings.js';
import { createHttpApplication } from '../../src/http/create-http-application.js';
import { start } from '../../src/start.js';
import { reportFailure } from './report-failure.js';
import { banner } from './serve/banner.js';
import { parseServeCommand, USAGE } from './serve/serve-command.js';

/** `lectern serve`: the service for somebody at a terminal. */
async function main(args: readonly string[]): Promise<void> {
  const settings = readSettings({ ...process.env, ...parseServeCommand(args) });
  const app = await inDataFolder(settings, async () => {
    const made = await createHttpApplication(AppModule.with(settings), settings);
    await start(made, settings);
    return made;
  });
  if (settings.WORKER === 'only') return;
  const address = app.getHttpServer().address();
  const PORT = typeof address === 'object' && address !== null ? address.port : settings.PORT;
  // stdout is the log's, which may be JSON for another program.
  console.error(banner(localUrl({ HOST: settings.HOST, PORT }), settings));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  reportFailure(error, { usage: USAGE });
  process.exit(); // threads that were started already would keep it alive
});

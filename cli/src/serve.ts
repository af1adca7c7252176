import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listenForStopSignals, localUrl, readSettings, type Settings } from '../../src/index.js';
import { parseCommandLine, UsageError } from './command.js';
import { printError } from './output.js';

export const USAGE = `Usage: lectern serve [options]

Starts the service and prints its address. By default it uses an embedded PostgreSQL and a bundled model.

  --port <n>            port to listen on; 0: any free port (PORT, 8000)
  --host <address>      address to listen on (HOST, 127.0.0.1)
  --data <folder>       data folder (DATA_DIR, ./data)
  --help                prints this help
  --version             prints the version

Other settings are environment variables, such as DATABASE_URL, LLM_MODEL and EMBEDDING_MODEL; a flag overrides
its variable.`;

const OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string' },
  data: { type: 'string' },
} as const;

const NODE_MAJOR = Number.parseInt(process.versions.node, 10);

/** `lectern serve`: starts the service on a terminal. */
export async function run(args: readonly string[]): Promise<void> {
  listenForStopSignals();
  const settings = readSettings({ ...process.env, ...parseServeCommand(args) });
  const server = await import('../../src/parts.js');
  server.prepareStart();
  try {
    const endTracing = await server.tracing(settings);
    const app = await server.inDataFolder(settings, async () => {
      const made = await server.createHttpApplication(server.AppModule.with(settings), settings);
      await server.start(made, settings, endTracing);
      return made;
    });
    if (settings.WORKER === 'only') return;
    const address = app.getHttpServer().address();
    const PORT = typeof address === 'object' && address !== null ? address.port : settings.PORT;
    // stdout is reserved for the log, which may be JSON.
    const { isRejected } = app.get(server.FirstKey);
    printError(banner(localUrl({ HOST: settings.HOST, PORT }), settings, isRejected));
  } catch (error) {
    // Worker threads that were already started would keep the process alive.
    setImmediate(() => void server.modelsLoaded().then(() => process.exit()));
    throw error;
  }
}

/**
 * Converts the arguments of `lectern serve` to settings, keyed by the name of the environment variable.
 *
 * @throws UsageError
 */
export function parseServeCommand(args: readonly string[]): Readonly<Record<string, string>> {
  const { port, host, data } = parseCommandLine({ args: [...args], options: OPTIONS }).values;
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) {
    throw new UsageError('--port must be a number from 0 to 65535');
  }
  for (const [flag, value] of Object.entries({ host, data })) {
    if (value?.trim() === '') throw new UsageError(`--${flag} needs a value`);
  }
  const settings = { PORT: port, HOST: host, DATA_DIR: data };
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/**
 * Start-up summary: address, key, links.
 *
 * @param url address of the service
 * @param isKeyRejected whether the key in DATA_DIR no longer works
 */
export function banner(url: string, settings: Settings, isKeyRejected: boolean): string {
  const data = resolve(settings.DATA_DIR);
  const lines = [
    ['Address', url],
    ['API key', keyPlace(settings, data, isKeyRejected)],
    ...(settings.PLAYGROUND ? [['Playground', `${url}/`]] : []),
    ...(settings.DOCS ? [['Swagger UI', `${url}/docs`]] : []),
    ['Data', settings.DATABASE_URL === undefined ? data : `${data}, and the database of DATABASE_URL`],
    ...(NODE_MAJOR < 24
      ? [['Node', `${process.version}; beside many open streams, Node 24 serves twice as much`]]
      : []),
  ];
  return `\nLectern is running; Ctrl-C stops it.\n${lines.map(([name = '', value = '']) => `  ${name.padEnd(11)} ${value}`).join('\n')}\n`;
}

function keyPlace({ AUTH_MODE, ADMIN_KEY }: Settings, data: string, isKeyRejected: boolean): string {
  if (AUTH_MODE === 'none') return 'not needed (AUTH_MODE=none)';
  if (ADMIN_KEY !== undefined) return 'the value of ADMIN_KEY';
  const file = join(data, 'api-key');
  const another = 'create another with `lectern keys create`';
  if (!existsSync(file)) return `created earlier; ${another}`;
  return isKeyRejected ? `the one in ${file} no longer works; ${another}` : `in ${file}`;
}

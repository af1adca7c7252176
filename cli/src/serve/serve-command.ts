import { parseCommandLine } from '../command-line.js';
import { UsageError } from '../report-failure.js';

export const USAGE = `Usage: lectern serve [options]

Starts the service and says where it is. With nothing set it runs on an embedded PostgreSQL and a bundled model.

  --port <n>            port to listen on; 0 takes a free one (PORT, 8000)
  --host <address>      address to listen on (HOST, 127.0.0.1)
  --data <folder>       where its data lives (DATA_DIR, ./data)
  --help                this
  --version             which Lectern this is

Everything else is set by environment variables, such as DATABASE_URL, LLM_MODEL and EMBEDDING_MODEL; a flag wins over
its variable.`;

const OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string' },
  data: { type: 'string' },
} as const;

/**
 * The settings that the arguments behind `lectern serve` stand for.
 * @throws UsageError
 */
export function parseServeCommand(args: readonly string[]): Readonly<Record<string, string>> {
  const { port, host, data } = parseCommandLine({ args: [...args], options: OPTIONS }).values;
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) {
    throw new UsageError('--port takes a number from 0 to 65535');
  }
  for (const [flag, value] of Object.entries({ host, data })) {
    if (value?.trim() === '') throw new UsageError(`--${flag} takes a value`);
  }
  const settings = { PORT: port, HOST: host, DATA_DIR: data };
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

import { pino, type Logger, type LoggerOptions } from 'pino';
import pretty from 'pino-pretty';
import { inspect } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import type { Settings } from '../config/settings.js';

/** Values of these keys are redacted in every logged object. */
const SECRETS = ['authorization', 'api_key', 'apiKey', 'token', 'secret', 'password'];

/** Creates the logger of the process: JSON lines on stdout, or readable lines on a terminal. */
export function createLogger(settings: Settings): Logger {
  const format = settings.LOG_FORMAT ?? (process.stdout.isTTY ? 'pretty' : 'json');
  // Both destinations write synchronously, so that no lines are lost when the process exits.
  return format === 'pretty'
    ? pino(loggerOptions(settings), pretty({ sync: true, ignore: 'pid,hostname' }))
    : pino(loggerOptions(settings), pino.destination({ sync: true }));
}

export function loggerOptions({ LOG_LEVEL }: Settings): LoggerOptions {
  return {
    level: LOG_LEVEL,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
  };
}

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/**
 * Writes the calls of Nest's `Logger` to pino. A call has a text, or an error, or fields and a text (`logger.warn({
 * err, document }, 'failed')`). Nest's own start-up messages are logged at debug level.
 */
export class NestLogger implements LoggerService {
  readonly log = this.at('info');
  readonly warn = this.at('warn');
  readonly error = this.at('error');
  readonly fatal = this.at('fatal');
  readonly debug = this.at('debug');
  readonly verbose = this.at('trace');

  constructor(private readonly pino: Logger) {}

  private at(level: Level) {
    return (message: unknown, ...rest: unknown[]): void => {
      this.write(level, message, rest);
    };
  }

  private write(level: Level, message: unknown, rest: readonly unknown[]): void {
    const { context, stack, texts } = partsOf(rest);
    if (context === START_FAILURE) return;
    const fields = {
      ...(context === undefined ? {} : { context }),
      ...(stack === undefined ? {} : { stack }),
    };
    const actual = level === 'info' && CHATTER.includes(context ?? '') ? 'debug' : level;
    if (message instanceof Error) this.pino[actual]({ ...fields, err: message }, texts[0] ?? message.message);
    else if (typeof message === 'object') this.pino[actual]({ ...fields, ...message }, texts[0]);
    else this.pino[actual](fields, typeof message === 'string' ? message : inspect(message));
  }
}

/**
 * Context in which Nest logs a failed start. Its messages are ignored, because Nest also throws the error and the
 * caller logs the error.
 */
const START_FAILURE = 'ExceptionHandler';

const CHATTER: readonly string[] = [
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
  'NestApplication',
];

/**
 * Splits the further arguments of a log call. Nest passes the context as the last argument, and the stack of an error
 * before it.
 */
function partsOf(rest: readonly unknown[]): {
  context: string | undefined;
  stack: string | undefined;
  texts: readonly string[];
} {
  const strings = rest.filter((value) => typeof value === 'string');
  const stack = strings.find((text) => text.includes('\n    at '));
  const texts = strings.filter((text) => text !== stack);
  return { context: texts.at(-1), stack, texts: texts.slice(0, -1) };
}

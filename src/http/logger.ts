import { pino, type Logger, type LoggerOptions } from 'pino';
import pretty from 'pino-pretty';
import type { LoggerService } from '@nestjs/common';
import type { Settings } from '../config/settings.js';

/** Whatever these keys hold never reaches a log, wherever an object that has them is logged. */
const SECRETS = ['authorization', 'api_key', 'apiKey', 'token', 'secret', 'password'];

/** One logger for the process: JSON lines on stdout, or readable ones on a terminal. */
export function createLogger(settings: Settings): Logger {
  const format = settings.LOG_FORMAT ?? (process.stdout.isTTY ? 'pretty' : 'json');
  // Both destinations are synchronous: the last lines before an exit are the ones that matter.
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

/** Nest's own messages, through the same logger. Its start-up chatter counts as debugging. */
export class NestLogger implements LoggerService {
  constructor(private readonly pino: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    const { context } = fieldsOf(rest);
    this.pino[isChatter(context) ? 'debug' : 'info'](fieldsOf(rest), String(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.pino.warn(fieldsOf(rest), String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    if (fieldsOf(rest).context === START_FAILURE) return;
    const error = message instanceof Error ? { err: message } : {};
    this.pino.error(
      { ...fieldsOf(rest), ...error },
      message instanceof Error ? message.message : String(message),
    );
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.pino.fatal(fieldsOf(rest), String(message));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.pino.debug(fieldsOf(rest), String(message));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.pino.trace(fieldsOf(rest), String(message));
  }
}

/** Nest logs what a start failed with and throws it too; whoever started it says it once. */
const START_FAILURE = 'ExceptionHandler';

const CHATTER = ['InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestFactory', 'NestApplication'];

function isChatter(context: string | undefined): boolean {
  return context !== undefined && CHATTER.includes(context);
}

/** Nest passes the context last; an error's stack or the error itself, when there is one, before it. */
function fieldsOf(rest: readonly unknown[]): { context?: string; stack?: string; err?: Error } {
  const context = rest.at(-1);
  const error = rest.find((value) => value instanceof Error);
  const stack = rest.find((value) => typeof value === 'string' && value.includes('\n    at '));
  return {
    ...(typeof context === 'string' && context !== stack ? { context } : {}),
    ...(typeof stack === 'string' ? { stack } : {}),
    ...(error === undefined ? {} : { err: error }),
  };
}

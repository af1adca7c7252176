import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import pRetry from 'p-retry';
import { LecternClient, LecternError } from '@lectern/client';
import { localUrl, readSettings } from '../../src/index.js';
import { UsageError } from './command.js';

/** Options of every client command. */
export const SERVICE_OPTIONS = { url: { type: 'string' }, key: { type: 'string' } } as const;

export interface ServiceAddress {
  /** Without a trailing slash. */
  readonly url: string;
  readonly key: string | undefined;
  /** Source of the key, mentioned when the service refuses it. */
  readonly keyOrigin: string;
}

/** Address from the command line and the environment. */
export interface GivenAddress {
  /** URL of the service; undefined: the URL is derived from the service's settings. */
  readonly url: string | undefined;
  readonly key: string | undefined;
  readonly keyOrigin: string | undefined;
}

/**
 * @param flags `--url` and `--key`
 * @param environment LECTERN_URL and LECTERN_API_KEY
 * @throws UsageError
 */
export function givenAddress(
  flags: { readonly url?: string | undefined; readonly key?: string | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): GivenAddress {
  const key = flags.key ?? given(environment['LECTERN_API_KEY']);
  const origin = flags.key === undefined ? 'LECTERN_API_KEY' : '--key';
  return {
    url: urlOf(flags.url ?? given(environment['LECTERN_URL'])),
    key,
    keyOrigin: key === undefined ? undefined : originOf(origin),
  };
}

/**
 * Completes an address. If no URL is given, the URL is that of the local service. If neither a URL nor a key is given,
 * the key is ADMIN_KEY or the key in DATA_DIR.
 */
export async function addressOf({ url, key, keyOrigin }: GivenAddress): Promise<ServiceAddress> {
  if (url !== undefined) {
    return {
      url,
      key,
      keyOrigin:
        keyOrigin ??
        'no key was given: set --key or LECTERN_API_KEY (with a URL, the key in DATA_DIR is not used)',
    };
  }
  const settings = readSettings(process.env);
  const local = localUrl(settings);
  if (key !== undefined && keyOrigin !== undefined) return { url: local, key, keyOrigin };
  if (settings.ADMIN_KEY !== undefined) {
    return { url: local, key: settings.ADMIN_KEY, keyOrigin: originOf('ADMIN_KEY') };
  }
  const file = resolve(settings.DATA_DIR, 'api-key');
  const found = await keyIn(file);
  return {
    url: local,
    key: found,
    keyOrigin:
      found === undefined
        ? `no key was given, and none was found in ${file}: set --key or LECTERN_API_KEY, or DATA_DIR to the data folder of the service`
        : `the key came from ${file}: set --key, LECTERN_API_KEY, or DATA_DIR to the data folder of the service`,
  };
}

function originOf(name: string): string {
  return `the key came from ${name}: set another one with --key or LECTERN_API_KEY`;
}

/** The value of an environment variable. An empty value counts as unset, as in the settings. */
function given(value: string | undefined): string | undefined {
  return value?.trim() === '' ? undefined : value;
}

function urlOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new UsageError(`--url (or LECTERN_URL) is not an http(s) URL: ${text}`);
  }
  return text.replace(/\/+$/, '');
}

async function keyIn(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new Error(`The key in ${file} cannot be read (${code}): set --key or LECTERN_API_KEY`, {
      cause: error,
    });
  }
}

/** Retries for up to a minute, so that a command survives a restart of the service. */
const RETRIES = { retries: 7, firstWaitMs: 500, maxWaitMs: 30_000 };
/** Maximum length of a proxy's error message, in characters. */
const LONGEST_FOREIGN_MESSAGE = 200;

/**
 * A client whose authentication errors mention the source of the key.
 *
 * @param onRequest called before every attempt of a request
 */
export function clientOf(
  { url, key, keyOrigin }: ServiceAddress,
  onRequest = (): void => undefined,
): LecternClient {
  return new LecternClient({
    url,
    retry: RETRIES,
    ...(key === undefined ? {} : { key }),
    fetch: async (request) => {
      onRequest();
      const response = await fetch(request);
      return [401, 403].includes(response.status) ? withKeyOrigin(response, keyOrigin) : response;
    },
  });
}

async function withKeyOrigin(response: Response, keyOrigin: string): Promise<Response> {
  const message = messageIn(await response.text()) ?? response.statusText;
  return Response.json({ detail: `${message} (${keyOrigin})` }, { status: response.status });
}

/** The `detail` of a response of the service, otherwise the beginning of its body; undefined for an empty body. */
function messageIn(body: string): string | undefined {
  try {
    const { detail } = JSON.parse(body) as { readonly detail?: unknown };
    if (typeof detail === 'string') return detail;
  } catch {
    // The response is not a JSON object, so it is from a proxy.
  }
  return body === '' ? undefined : body.slice(0, LONGEST_FOREIGN_MESSAGE);
}

/**
 * Runs work with a client of the addressed service.
 *
 * @throws Error if no service answers
 */
export async function withService(
  given: GivenAddress,
  work: (client: LecternClient, address: ServiceAddress) => Promise<void>,
): Promise<void> {
  const address = await addressOf(given);
  await reach(address.url);
  await work(clientOf(address), address);
}

/**
 * Checks that a service answers at a URL.
 *
 * @param mend remedy to append to the error message
 * @throws Error if no service answers
 */
export async function reach(
  url: string,
  mend = 'Start it with `lectern serve`, or set another URL with --url or LECTERN_URL',
): Promise<void> {
  try {
    const response = await fetch(`${url}/ping`);
    await response.arrayBuffer();
    if (response.ok) return;
    throw new Error(`it answered ${response.status}`);
  } catch (error) {
    throw new Error(`Cannot reach the service at ${url} (${causeOf(error)}). ${mend}.`, { cause: error });
  }
}

function causeOf(error: unknown): string {
  const { message, cause } = error as Error & { readonly cause?: { code?: string; message: string } };
  return cause?.code ?? cause?.message ?? message;
}

/**
 * Retries work that is not idempotent. Before every retry, checks whether the work is done, because the service may
 * have done it and only its response was lost.
 *
 * @param already the check: returns the result if the work is done, otherwise undefined
 */
export async function repeated<T>(
  work: () => Promise<T>,
  already: () => Promise<T | undefined> = () => Promise.resolve(undefined),
): Promise<T> {
  const attempt = async (number: number): Promise<T> => {
    return (number === 1 ? undefined : await already()) ?? (await work());
  };
  return pRetry(attempt, {
    retries: RETRIES.retries,
    minTimeout: RETRIES.firstWaitMs,
    maxTimeout: RETRIES.maxWaitMs,
    randomize: true,
    shouldRetry: ({ error }) => error instanceof LecternError && [0, 502, 503, 504].includes(error.status),
  });
}

/** One-sentence reason of a failure. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

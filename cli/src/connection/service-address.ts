import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { localUrl } from '../../../src/config/local-url.js';
import { readSettings } from '../../../src/config/read-settings.js';
import { UsageError } from '../report-failure.js';

export interface ServiceAddress {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string | undefined;
  /** Where the key is from, or was looked for: said when the service refuses it. */
  readonly keyOrigin: string;
}

/** What the command line and the environment say of it. */
export interface GivenAddress {
  /** undefined: what the settings of the service say. */
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

/** Without a URL the service that this installation starts, and the admin key that it made for itself. */
export async function addressOf({ url, key, keyOrigin }: GivenAddress): Promise<ServiceAddress> {
  if (url !== undefined) {
    return {
      url,
      key,
      keyOrigin:
        keyOrigin ??
        'no key was given: set --key or LECTERN_API_KEY; with a URL that of DATA_DIR is not used',
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
        ? `no key was given, and there is none in ${file}: set --key or LECTERN_API_KEY, or DATA_DIR to the data folder of the service`
        : `the key was that in ${file}: set --key, LECTERN_API_KEY, or DATA_DIR to the data folder of the service`,
  };
}

function originOf(name: string): string {
  return `the key was that of ${name}: --key or LECTERN_API_KEY give another one`;
}

/** An empty variable counts as unset, as in the settings. */
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

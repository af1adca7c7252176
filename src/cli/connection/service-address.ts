import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { localUrl } from '../../config/local-url.js';
import { readSettings } from '../../config/read-settings.js';
import { UsageError } from '../report-failure.js';

export interface ServiceAddress {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string | undefined;
}

/** What the command line and the environment say of it. */
export interface GivenAddress {
  /** undefined: what the settings of the service say. */
  readonly url: string | undefined;
  readonly key: string | undefined;
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
  return {
    url: urlOf(flags.url ?? environment['LECTERN_URL']),
    key: flags.key ?? environment['LECTERN_API_KEY'],
  };
}

/** Without a URL the service that this installation starts, and the admin key that it made for itself. */
export async function addressOf({ url, key }: GivenAddress): Promise<ServiceAddress> {
  if (url !== undefined) return { url, key };
  const settings = readSettings(process.env);
  return { url: localUrl(settings), key: key ?? settings.ADMIN_KEY ?? (await keyIn(settings.DATA_DIR)) };
}

function urlOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new UsageError(`the URL of the service is not an http(s) URL: ${text}`);
  }
  return text.replace(/\/+$/, '');
}

async function keyIn(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, 'api-key'), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

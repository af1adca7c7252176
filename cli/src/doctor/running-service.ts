import { localUrl, type Settings } from '../../../src/index.js';
import { addressOf } from '../service.js';
import { ok, warn, fail, type Check, type Finding } from './finding.js';

const PING_MS = 3_000;

interface Report {
  readonly status: string;
  readonly services: readonly { readonly name: string; readonly status: string; readonly message: string }[];
}

/** Whether a Lectern service, as opposed to another program, answers at a URL. */
export async function pingAt(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/ping`, { signal: AbortSignal.timeout(PING_MS) });
    const { message } = (await response.json()) as { readonly message?: unknown };
    return response.ok && typeof message === 'string' && message.startsWith('Lectern');
  } catch {
    return false; // no program listens there, or the program is not Lectern
  }
}

/** Tells the operator how a command finds the service that has the data folder open. */
export function portRemedy(settings: Settings): string {
  return `set PORT to its port, because no service answers at ${localUrl(settings)}`;
}

/** URL of the service that runs with these settings; null: no Lectern service answers at the configured address. */
export async function runningAt(settings: Settings): Promise<string | null> {
  const url = localUrl(settings);
  return settings.PORT !== 0 && (await pingAt(url)) ? url : null;
}

async function healthAt(url: string): Promise<Report> {
  const { key } = await addressOf({ url: undefined, key: undefined, keyOrigin: undefined });
  const response = await fetch(`${url}/health`, {
    headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
  });
  return (await response.json()) as Report;
}

/**
 * Reports the language model of the running service, because the model may have been connected at runtime. undefined:
 * no service is running, or the service does not report its model.
 */
export async function modelOfService(settings: Settings): Promise<Finding | undefined> {
  const url = await runningAt(settings);
  if (url === null) return undefined;
  const found = (await healthAt(url)).services.find(({ name }) => name === 'llm');
  if (found === undefined) return undefined;
  const sentence = `${found.message}, in the running service`;
  return found.status === 'healthy' ? ok(sentence) : warn(sentence);
}

/** Whether the running service accepts the key of the commands on this machine. */
export function adminKey(settings: Settings): Check {
  const create = 'lectern keys create --name admin --scopes admin';
  const mend =
    settings.DATABASE_URL === undefined
      ? `Restore JWT_SECRET, or stop the service and run ${create}`
      : `Restore JWT_SECRET, or run ${create}`;
  return {
    name: 'admin key',
    mend,
    async look(): Promise<Finding> {
      const url = await runningAt(settings);
      if (url === null) return ok('not checked, because no service is running at this address');
      const { key, keyOrigin } = await addressOf({ url: undefined, key: undefined, keyOrigin: undefined });
      if (key === undefined) return warn(`${keyOrigin}. If it is lost: ${mend}`);
      const response = await fetch(`${url}/keys`, { headers: { Authorization: `Bearer ${key}` } });
      if (response.ok) return ok('accepted by the running service');
      const { detail } = (await response.json()) as { readonly detail?: unknown };
      return fail(`${response.status} ${typeof detail === 'string' ? detail : ''} (${keyOrigin}). ${mend}`);
    },
  };
}

/** Health of the service running with these settings. */
export function runningService(settings: Settings): Check {
  return {
    name: 'service',
    mend: `See GET ${localUrl(settings)}/health`,
    async look(): Promise<Finding> {
      const url = await runningAt(settings);
      if (url === null) {
        return ok('not running at this address; start it with `lectern serve`');
      }
      const { status, services } = await healthAt(url);
      if (status === 'healthy') return ok(`${url} is healthy`);
      const parts = services.filter((part) => part.status !== 'healthy');
      const details = parts.map((part) => `${part.name}: ${part.message}`).join('; ');
      const sentence = `${url} is ${status} (${details}). See its log`;
      return status === 'degraded' ? warn(sentence) : fail(sentence);
    },
  };
}

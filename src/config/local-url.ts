import type { Settings } from './settings.js';

const EVERYWHERE = ['0.0.0.0', '::'];

/** Returns the URL of the service on its own machine, without a trailing slash. */
export function localUrl({ HOST, PORT }: Pick<Settings, 'HOST' | 'PORT'>): string {
  const host = EVERYWHERE.includes(HOST) ? '127.0.0.1' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}

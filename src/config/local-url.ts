import type { Settings } from './settings.js';

const EVERYWHERE = ['0.0.0.0', '::'];

/** Where the service that listens on HOST and PORT is reached from its own machine; no slash at the end. */
export function localUrl({ HOST, PORT }: Pick<Settings, 'HOST' | 'PORT'>): string {
  const host = EVERYWHERE.includes(HOST) ? '127.0.0.1' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}

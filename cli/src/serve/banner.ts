import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Settings } from '../../../src/config/settings.js';

/**
 * What somebody who has just started the service wants to know: where it is, where its key is, where to try it.
 * @param url where it listens
 */
export function banner(url: string, settings: Settings): string {
  const data = resolve(settings.DATA_DIR);
  const lines = [
    ['Address', url],
    ['API key', keyPlace(settings, data)],
    ...(settings.PLAYGROUND ? [['Playground', `${url}/`]] : []),
    ...(settings.DOCS ? [['Swagger UI', `${url}/docs`]] : []),
    ['Data', settings.DATABASE_URL === undefined ? data : `${data}, and the database of DATABASE_URL`],
  ];
  return `\nLectern is running; Ctrl-C stops it.\n${lines.map(([name = '', value = '']) => `  ${name.padEnd(11)} ${value}`).join('\n')}\n`;
}

function keyPlace({ AUTH_MODE, ADMIN_KEY }: Settings, data: string): string {
  if (AUTH_MODE === 'none') return 'none is needed (AUTH_MODE=none)';
  if (ADMIN_KEY !== undefined) return 'the value of ADMIN_KEY';
  const file = join(data, 'api-key');
  return existsSync(file) ? `in ${file}` : 'one that was made before; `lectern keys create` makes another';
}

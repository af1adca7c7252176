import type { Answer } from '../../support/client.js';
import type { Thing } from './things.js';

/** What a thing has in common with others. */
const SHARED: readonly string[] = ['page_number', 'message_index', 'member_id', 'open_file', 'open_store'];
/** A folder that everyone may read. */
const OPEN_FOLDER = 'open';
/** Headers that depend on the connection (RFC 9110, section 7.6.1), not on the answer. */
const OF_THE_CONNECTION: readonly string[] = ['connection', 'keep-alive'];
const NAMES: readonly string[] = ['folder', 'filename', 'question'];

/** Returns the ids of a thing that does not exist, spelt like those of a thing. */
export function unknownLike(thing: Thing): Thing {
  return Object.fromEntries(
    Object.entries(thing).map(([name, value = '']) => {
      if (SHARED.includes(name) || value === OPEN_FOLDER) return [name, value];
      return [name, NAMES.includes(name) ? `no-${value}` : otherId(value)];
    }),
  );
}

/** Changes the last hexadecimal digits of an id. */
function otherId(id: string): string {
  const digits = id
    .slice(-3)
    .replaceAll(/[0-9a-f]/g, (digit) => ((Number.parseInt(digit, 16) + 7) % 16).toString(16));
  return id.slice(0, -3) + digits;
}

/** Returns what an answer on a thing tells: status, names of headers, and the body without the ids of the thing. */
export function shapeOf({ status, headers, text }: Answer, thing: Thing): object {
  const ids = Object.values(thing).filter((value = '') => value.length > 1) as string[];
  return {
    status,
    headers: [...headers.keys()].filter((name) => !OF_THE_CONNECTION.includes(name)).sort(),
    text: ids
      .sort((one, other) => other.length - one.length)
      .reduce((rest, id) => rest.replaceAll(id, '<id>'), text),
  };
}

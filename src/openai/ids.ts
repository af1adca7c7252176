import { prefixedId, STORE_PREFIXES } from '../corpus/vector-stores/store-ids.js';
import { Invalid, NotFound, type Location } from '../errors/index.js';

/** Prefixes of ids in the protocol, by kind of object. */
export const PREFIXES = {
  ...STORE_PREFIXES,
  response: 'resp_',
  conversation: 'conv_',
} as const;

export type Kind = keyof typeof PREFIXES;

const NAMES: Readonly<Record<Kind, string>> = {
  file: 'file',
  store: 'vector store',
  batch: 'file batch',
  response: 'response',
  conversation: 'conversation',
};

const HEX = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** Returns the protocol id of a UUID: a prefix and the 32 digits. */
export function idOf(kind: Kind, uuid: string): string {
  return prefixedId(PREFIXES[kind], uuid);
}

/** Returns the UUID in a protocol id; undefined for any other text. */
export function uuidIn(kind: Kind, id: string): string | undefined {
  const digits = id.startsWith(PREFIXES[kind]) ? HEX.exec(id.slice(PREFIXES[kind].length)) : null;
  return digits?.slice(1).join('-');
}

/** Returns the UUID in a protocol id. @throws NotFound for any other text. */
export function knownUuid(kind: Kind, id: string): string {
  const uuid = uuidIn(kind, id);
  if (uuid === undefined) throw notFound(kind, id);
  return uuid;
}

/** Error for an id that does not exist in the tenant. */
export function notFound(kind: Kind | 'item', id: string): NotFound {
  const name = kind === 'item' ? kind : NAMES[kind];
  return new NotFound(`No ${name} has the id ${shown(id)}`);
}

export function unknownCursor(loc: Location, id: string): Invalid {
  return Invalid.at(loc, `Value error, the list has no object with the id ${shown(id)}`);
}

function shown(id: string): string {
  return JSON.stringify(id.length > 80 ? `${id.slice(0, 80)}…` : id);
}

const ITEM_PREFIXES = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  file_search_call: 'fs',
} as const;

const ITEM_ID = /^[a-z]+_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})[io]\d+$/;

/**
 * Builds the id of an item. The id contains the id of the item's owner (the response or conversation for which the item
 * was created), so that an item is found without an index of items.
 * @param side `i`: an item of the input, or an item that a client added to a conversation; `o`: an item of the output
 */
export function itemId(
  type: keyof typeof ITEM_PREFIXES,
  owner: string,
  side: 'i' | 'o',
  index: number,
): string {
  return `${ITEM_PREFIXES[type]}_${owner.replaceAll('-', '')}${side}${index}`;
}

/** The UUID of the response or conversation in the id of an item; undefined for any other text. */
export function ownerOfItem(id: string): string | undefined {
  return ITEM_ID.exec(id)?.slice(1).join('-');
}

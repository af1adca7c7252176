import { Invalid, NotFound, type Location } from '../errors/index.js';

/** What the ids of the protocol begin with. */
export const PREFIXES = { file: 'file-', store: 'vs_', batch: 'vsfb_', response: 'resp_' } as const;

export type Kind = keyof typeof PREFIXES;

const NAMES: Readonly<Record<Kind, string>> = {
  file: 'file',
  store: 'vector store',
  batch: 'file batch',
  response: 'response',
};

const HEX = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** The id of the protocol for a UUID: a prefix and its 32 digits. */
export function idOf(kind: Kind, uuid: string): string {
  return PREFIXES[kind] + uuid.replaceAll('-', '');
}

/** The UUID in an id of the protocol; undefined for a text that is no such id. */
export function uuidIn(kind: Kind, id: string): string | undefined {
  const digits = id.startsWith(PREFIXES[kind]) ? HEX.exec(id.slice(PREFIXES[kind].length)) : null;
  return digits?.slice(1).join('-');
}

/** The UUID in an id of the protocol. @throws NotFound for a text that is no such id. */
export function knownUuid(kind: Kind, id: string): string {
  const uuid = uuidIn(kind, id);
  if (uuid === undefined) throw notFound(kind, id);
  return uuid;
}

/** The error about an id that is unknown, or of another tenant. */
export function notFound(kind: Kind, id: string): NotFound {
  return new NotFound(`No ${NAMES[kind]} has the id ${shown(id)}`);
}

/** The error about a cursor that names nothing in the list. */
export function unknownCursor(loc: Location, id: string): Invalid {
  return Invalid.at(loc, `Value error, the list has no object with the id ${shown(id)}`);
}

function shown(id: string): string {
  return JSON.stringify(id.length > 80 ? `${id.slice(0, 80)}…` : id);
}

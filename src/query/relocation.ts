import { Invalid, type Location } from '../errors/index.js';

/**
 * Where the client wrote the value that stands at a place of POST /query in its usual spelling: services know values by
 * that place, and clients know what they sent.
 */
export type PlaceOf = (place: Location) => Location;

export const AS_IT_STANDS: PlaceOf = (place) => place;

/** The error with the places of what the client sent. */
export function relocated(error: unknown, placeOf: PlaceOf): unknown {
  if (!(error instanceof Invalid) || placeOf === AS_IT_STANDS) return error;
  return new Invalid(error.items.map((item) => ({ ...item, loc: placeOf(item.loc) })));
}

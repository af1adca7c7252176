import { LecternError } from './lectern-error.js';

/**
 * Values of `type` in an item of a 422. They are the same as in FastAPI and pydantic, because clients know these
 * values.
 */
export type InvalidType =
  | 'missing'
  | 'string_type'
  | 'string_too_short'
  | 'int_type'
  | 'greater_than'
  | 'greater_than_equal'
  | 'less_than_equal'
  | 'bool_type'
  | 'float_type'
  | 'list_type'
  | 'dict_type'
  | 'enum'
  | 'extra_forbidden'
  | 'json_invalid'
  | 'value_error';

/** Location of a value: `body`, `query`, `path` or `header`, then object keys and array indexes. */
export type Location = readonly (string | number)[];

export interface InvalidItem {
  readonly loc: Location;
  readonly msg: string;
  readonly type: InvalidType;
}

/** A 422 with all problems of one request, each with its location. */
export class Invalid extends LecternError {
  readonly status = 422;

  constructor(readonly items: readonly InvalidItem[]) {
    super(items.map((item) => `${item.loc.join('.')}: ${item.msg}`).join('; '));
  }

  static at(loc: Location, msg: string, type: InvalidType = 'value_error'): Invalid {
    return new Invalid([{ loc, msg, type }]);
  }
  /** Returns the same problems with `loc` prepended to their locations. */
  under(loc: Location): Invalid {
    return new Invalid(this.items.map((item) => ({ ...item, loc: [...loc, ...item.loc] })));
  }
}

/** Collects the problems of an input, so that they are reported together. */
export class Problems {
  private readonly items: InvalidItem[] = [];

  add(loc: Location, msg: string, type: InvalidType = 'value_error'): void {
    this.items.push({ loc, msg, type });
  }

  /** @throws Invalid with all collected problems. */
  throwIfAny(): void {
    if (this.items.length > 0) throw new Invalid(this.items);
  }
}

/**
 * Maps a location in the request of a service, for example of POST /query, to the location of the value in the client's
 * request. Services report errors at locations of their own request; clients need locations in theirs.
 */
export type PlaceOf = (place: Location) => Location;

export const AS_IT_STANDS: PlaceOf = (place) => place;

/** Returns the error with its locations mapped to the client's request. */
export function relocated(error: unknown, placeOf: PlaceOf): unknown {
  if (!(error instanceof Invalid) || placeOf === AS_IT_STANDS) return error;
  return new Invalid(error.items.map((item) => ({ ...item, loc: placeOf(item.loc) })));
}

import { LecternError } from './lectern-error.js';

/** The closed vocabulary of `type` in a 422 item (the one FastAPI and pydantic clients know). */
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

/** Where a value stands: `body`, `query`, `path` or `header`, then object keys and array indexes. */
export type Location = readonly (string | number)[];

export interface InvalidItem {
  readonly loc: Location;
  readonly msg: string;
  readonly type: InvalidType;
}

/** 422: everything that is wrong with the input of one request, each with its place. */
export class Invalid extends LecternError {
  readonly status = 422;

  constructor(readonly items: readonly InvalidItem[]) {
    super(items.map((item) => `${item.loc.join('.')}: ${item.msg}`).join('; '));
  }

  /** One `value_error` at `loc`. */
  static at(loc: Location, msg: string, type: InvalidType = 'value_error'): Invalid {
    return new Invalid([{ loc, msg, type }]);
  }
  /** The same items, in something that stands at `loc`. */
  under(loc: Location): Invalid {
    return new Invalid(this.items.map((item) => ({ ...item, loc: [...loc, ...item.loc] })));
  }
}

/** Collects what is wrong with an input, so that all of it is reported together. */
export class Problems {
  private readonly items: InvalidItem[] = [];

  add(loc: Location, msg: string, type: InvalidType = 'value_error'): void {
    this.items.push({ loc, msg, type });
  }

  /** @throws Invalid with everything that was added. */
  throwIfAny(): void {
    if (this.items.length > 0) throw new Invalid(this.items);
  }
}

import { Invalid, type InvalidItem, type InvalidType, type Location } from './invalid.js';

/** Types and messages of a 422, by the name of class-validator's constraint. They have the wording of pydantic. */
const WORDS = {
  isDefined: ['missing', 'Field required'],
  whitelistValidation: ['extra_forbidden', 'Extra inputs are not permitted'],
  isString: ['string_type', 'Input should be a valid string'],
  isNotEmpty: ['string_too_short', 'String should have at least 1 character'],
  maxCharacters: ['value_error', 'Value error, String should have at most $bound characters'],
  maxBytes: ['value_error', 'Value error, text should have at most $bound bytes in UTF-8'],
  isNotBlank: ['value_error', 'Value error, text must not be blank'],
  isStorable: ['value_error', 'Value error, text must not contain U+0000 or lone surrogates'],
  isInt: ['int_type', 'Input should be a valid integer'],
  isNumber: ['float_type', 'Input should be a valid number'],
  isPositive: ['greater_than', 'Input should be greater than 0'],
  min: ['greater_than_equal', 'Input should be greater than or equal to $bound'],
  max: ['less_than_equal', 'Input should be less than or equal to $bound'],
  isBoolean: ['bool_type', 'Input should be a valid boolean'],
  isIn: ['enum', 'Input should be $bound'],
  isArray: ['list_type', 'Input should be a valid list'],
  arrayMaxSize: ['value_error', 'Value error, a list has at most $bound members'],
  isObject: ['dict_type', 'Input should be a valid object'],
  isJsonObject: ['dict_type', 'Input should be a valid dictionary'],
} as const satisfies Record<string, readonly [InvalidType, string]>;

export type Constraint = keyof typeof WORDS;
export type Bound = number | readonly string[];

/** The message of a constraint, as an option of its class-validator decorator. */
export function wording(name: Constraint, bound: Bound = []): { readonly message: string } {
  const shown = typeof bound === 'number' ? String(bound) : enumerated(bound);
  return { message: WORDS[name][1].replace('$bound', () => shown) };
}

export function violation(loc: Location, name: Constraint, bound?: Bound): Invalid {
  return new Invalid([itemFor(loc, name, bound)]);
}

export function itemFor(loc: Location, name: Constraint, bound?: Bound): InvalidItem {
  return { loc, msg: wording(name, bound).message, type: WORDS[name][0] };
}

/** The type of a constraint's item in a 422. */
export function typeOf(name: string): InvalidType {
  return name in WORDS ? WORDS[name as Constraint][0] : 'value_error';
}

/** Returns a list in the format of pydantic: `'a', 'b' or 'c'`. */
function enumerated(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`;
}

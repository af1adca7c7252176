import { ValidateBy, type ValidationError, type ValidationOptions } from 'class-validator';
import { hasVisibleText } from '#reader';
import { Invalid, type InvalidItem, type InvalidType, type Location } from '../../errors/index.js';
import { isJsonObject } from '../../json/exact-json.js';
import { textDefect } from '../../json/storable.js';

/** Messages of class-validator constraints in a 422. They have the wording of pydantic. */
const WORDS = {
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
  isJsonObject: ['dict_type', 'Input should be a valid dictionary'],
} as const satisfies Record<string, readonly [InvalidType, string]>;

type Constraint = keyof typeof WORDS;
type Bound = number | readonly string[];

export function wording(name: Constraint, bound: Bound = []): ValidationOptions {
  const shown = typeof bound === 'number' ? String(bound) : enumerated(bound);
  return { message: WORDS[name][1].replace('$bound', () => shown) };
}

export function violation(loc: Location, name: Constraint, bound?: Bound): Invalid {
  return new Invalid([itemFor(loc, name, bound)]);
}

export function itemFor(loc: Location, name: Constraint, bound?: Bound): InvalidItem {
  return { loc, msg: String(wording(name, bound).message), type: WORDS[name][0] };
}

/**
 * Converts a class-validator error to an item of a 422. Constraints that are not listed above have their own message.
 */
export function itemOf({ property, constraints = {} }: ValidationError): InvalidItem {
  const [[name, msg] = ['', '']] = Object.entries(constraints);
  return { loc: [property], msg, type: name in WORDS ? WORDS[name as Constraint][0] : 'value_error' };
}

/** Like `IsObject`, but rejects an `ExactNumber`, which is also an object. */
export const IsJsonObject = (): PropertyDecorator => constraint('isJsonObject', isJsonObject);

/** Rejects text that PostgreSQL cannot store: text with U+0000 or lone surrogates. */
export const IsStorable = (): PropertyDecorator =>
  constraint('isStorable', (value) => typeof value !== 'string' || textDefect(value) === undefined);

/** Requires a text with a visible character. */
export const IsNotBlank = (): PropertyDecorator =>
  constraint('isNotBlank', (value) => typeof value === 'string' && hasVisibleText(value));

/**
 * Like `MaxLength`, but counts code points instead of UTF-16 code units. Rejects a very long text without counting its
 * code points.
 */
export const MaxCharacters = (max: number): PropertyDecorator =>
  constraint(
    'maxCharacters',
    (value) => typeof value === 'string' && value.length <= 2 * max && Array.from(value).length <= max,
    max,
  );

/** Maximum length of a text in UTF-8 bytes. */
export const MaxBytes = (max: number): PropertyDecorator =>
  constraint('maxBytes', (value) => typeof value === 'string' && Buffer.byteLength(value) <= max, max);

function constraint(
  name: Constraint,
  validate: (value: unknown) => boolean,
  bound?: Bound,
): PropertyDecorator {
  return ValidateBy({ name, validator: { validate } }, wording(name, bound));
}

/** Returns a list in the format of pydantic: `'a', 'b' or 'c'`. */
function enumerated(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`;
}

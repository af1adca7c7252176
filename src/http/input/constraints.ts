import { ValidateBy, type ValidationError, type ValidationOptions } from 'class-validator';
import { Invalid, type InvalidItem, type InvalidType, type Location } from '../../errors/index.js';
import { isJsonObject } from '../../json/json-object.js';
import { textDefect } from '../../json/text-defect.js';
import { hasVisibleText } from '../../json/visible-text.js';

/** What the constraints of class-validator are called in a 422, in the words that clients of pydantic know. */
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

/** The message of a constraint, for its decorator. */
export function wording(name: Constraint, bound: Bound = []): ValidationOptions {
  const shown = typeof bound === 'number' ? String(bound) : enumerated(bound);
  return { message: WORDS[name][1].replace('$bound', () => shown) };
}

/** A value that violates a constraint, found by a parse. */
export function violation(loc: Location, name: Constraint, bound?: Bound): Invalid {
  return new Invalid([itemFor(loc, name, bound)]);
}

export function itemFor(loc: Location, name: Constraint, bound?: Bound): InvalidItem {
  return { loc, msg: String(wording(name, bound).message), type: WORDS[name][0] };
}

/** What class-validator found of a member, as an item of a 422. Its other constraints say in words what is wrong. */
export function itemOf({ property, constraints = {} }: ValidationError): InvalidItem {
  const [[name, msg] = ['', '']] = Object.entries(constraints);
  return { loc: [property], msg, type: name in WORDS ? WORDS[name as Constraint][0] : 'value_error' };
}

/** `IsObject` that does not take a number of many digits for an object. */
export const IsJsonObject = (): PropertyDecorator => constraint('isJsonObject', isJsonObject);

/** PostgreSQL stores neither U+0000 nor halves of surrogate pairs. */
export const IsStorable = (): PropertyDecorator =>
  constraint('isStorable', (value) => typeof value !== 'string' || textDefect(value) === undefined);

/** A text with a character that a reader sees. */
export const IsNotBlank = (): PropertyDecorator =>
  constraint('isNotBlank', (value) => typeof value === 'string' && hasVisibleText(value));

/** `MaxLength` in characters as people count them, which does not count a text of megabytes to its end. */
export const MaxCharacters = (max: number): PropertyDecorator =>
  constraint(
    'maxCharacters',
    (value) => typeof value === 'string' && value.length <= 2 * max && Array.from(value).length <= max,
    max,
  );

/** The most bytes that a text may have in UTF-8. */
export const MaxBytes = (max: number): PropertyDecorator =>
  constraint('maxBytes', (value) => typeof value === 'string' && Buffer.byteLength(value) <= max, max);

function constraint(
  name: Constraint,
  validate: (value: unknown) => boolean,
  bound?: Bound,
): PropertyDecorator {
  return ValidateBy({ name, validator: { validate } }, wording(name, bound));
}

/** `'a', 'b' or 'c'`, as pydantic writes it. */
function enumerated(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`;
}

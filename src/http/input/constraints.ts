import { ValidateBy, type ValidationError } from 'class-validator';
import { hasVisibleText } from '#reader';
import { type Bound, type Constraint, type InvalidItem, typeOf, wording } from '../../errors/index.js';
import { isJsonObject } from '../../json/exact-json.js';
import { textDefect } from '../../json/storable.js';

/**
 * Converts a class-validator error to an item of a 422. Constraints without a line in `errors/violation.ts` have their own message.
 */
export function itemOf({ property, constraints = {} }: ValidationError): InvalidItem {
  const [[name, msg] = ['', '']] = Object.entries(constraints);
  return { loc: [property], msg, type: typeOf(name) };
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

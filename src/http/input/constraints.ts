import { ValidateBy, type ValidationArguments } from 'class-validator';
import { Invalid, type Location } from '../../errors/index.js';
import { isJsonObject } from '../../json/json-object.js';
import { textDefect } from '../../json/text-defect.js';
import { told } from './exception-factory.js';

/** `IsObject` that does not take a number of many digits for an object. */
export const IsJsonObject = (): PropertyDecorator => constraint('isJsonObject', isJsonObject);

/** PostgreSQL stores neither U+0000 nor halves of surrogate pairs. */
export const IsStorable = (): PropertyDecorator =>
  constraint('isStorable', (value) => typeof value !== 'string' || textDefect(value) === undefined);

export const IsNotBlank = (): PropertyDecorator =>
  constraint('isNotBlank', (value) => typeof value === 'string' && value.trim() !== '');

/** `MaxLength` in characters as people count them, which does not count a text of megabytes to its end. */
export function MaxCharacters(max: number): PropertyDecorator {
  return constraint(
    'maxCharacters',
    (value) => typeof value === 'string' && value.length <= 2 * max && Array.from(value).length <= max,
    max,
  );
}

/** The most bytes that a text may have in UTF-8. */
export function MaxBytes(max: number): PropertyDecorator {
  return constraint('maxBytes', (value) => typeof value === 'string' && Buffer.byteLength(value) <= max, max);
}

function constraint(name: string, validate: (value: unknown) => boolean, bound?: unknown): PropertyDecorator {
  return ValidateBy({ name, validator: { validate } }, told(name, bound));
}

/**
 * Turns a value into what services take, or finds what is wrong inside it.
 * @throws Invalid with every item, located under `loc`.
 */
export type Parse = (value: unknown, loc: Location) => unknown;

/**
 * The last constraint of a member: `parse` can read it. What it returns takes the place of the member; so does the
 * `Invalid` that it throws, for the exception factory to find its items there.
 */
export function Parsed(parse: Parse): PropertyDecorator {
  return ValidateBy({
    name: 'parsed',
    validator: {
      validate: (value, args) => {
        const { object, property } = args as ValidationArguments & { object: Record<string, unknown> };
        object[property] = resultOf(() => parse(value, [property]));
        return !(object[property] instanceof Invalid);
      },
    },
  });
}

/**
 * A demand on several members of a class together, which counts when each of them is fine on its own.
 * @param check throws Invalid; its places begin at the object, so that `[]` is the object itself. It has to bear members
 *   of another type than theirs: it runs beside their own constraints.
 */
export function Together<T extends object>(
  members: readonly (keyof T & string)[],
  check: (input: T) => void,
): (type: new () => T) => void {
  return ({ prototype }) => {
    ValidateBy(
      {
        name: 'together',
        validator: {
          validate: (_value, args) => {
            const { object, property } = args as ValidationArguments & { object: Record<string, unknown> };
            if (members.some((member) => object[member] instanceof Invalid)) return true;
            const result = resultOf(() => {
              check(object as T);
            });
            if (result instanceof Invalid) object[property] = result;
            return !(result instanceof Invalid);
          },
          defaultMessage: () => 'together',
        },
      },
      { context: { members } },
    )(prototype as object, members.join(' and '));
  };
}

/** What an action returns, or the Invalid that it throws. */
export function resultOf(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    if (error instanceof Invalid) return error;
    throw error;
  }
}

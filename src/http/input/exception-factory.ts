import type { ValidationError, ValidationOptions } from 'class-validator';
import { Invalid, type InvalidItem, type InvalidType, type Location } from '../../errors/index.js';

type Words = readonly [type: InvalidType, msg: string];

/** What the constraints of class-validator are called in a 422, in the words that clients of pydantic know. */
const WORDS: Readonly<Record<string, (constraint: unknown) => Words>> = {
  isString: () => ['string_type', 'Input should be a valid string'],
  isNotEmpty: () => ['string_too_short', 'String should have at least 1 character'],
  maxCharacters: (max) => [
    'value_error',
    `Value error, String should have at most ${String(max)} characters`,
  ],
  maxBytes: (max) => ['value_error', `Value error, text should have at most ${String(max)} bytes in UTF-8`],
  isNotBlank: () => ['value_error', 'Value error, text must not be blank'],
  isStorable: () => ['value_error', 'Value error, text must not contain U+0000 or lone surrogates'],
  isInt: () => ['int_type', 'Input should be a valid integer'],
  isNumber: () => ['float_type', 'Input should be a valid number'],
  isPositive: () => ['greater_than', 'Input should be greater than 0'],
  min: (min) => ['greater_than_equal', `Input should be greater than or equal to ${String(min)}`],
  max: (max) => ['less_than_equal', `Input should be less than or equal to ${String(max)}`],
  isBoolean: () => ['bool_type', 'Input should be a valid boolean'],
  isIn: (values) => ['enum', `Input should be ${enumerated(values as readonly string[])}`],
  isArray: () => ['list_type', 'Input should be a valid list'],
  arrayMaxSize: (max) => ['value_error', `Value error, a list has at most ${String(max)} members`],
  isJsonObject: () => ['dict_type', 'Input should be a valid dictionary'],
  nestedValidation: () => ['dict_type', 'Input should be a valid dictionary'],
};

function wordsOf(name: string, bound: unknown): Words {
  const words = WORDS[name];
  if (words === undefined) throw new Error(`no words for the constraint ${name}`);
  return words(bound);
}

/** What a constraint tells the exception factory of a value that fails it. */
export function told(name: string, bound?: unknown): ValidationOptions {
  const [type, message] = wordsOf(name, bound);
  return { message, context: { type } };
}

/** A value that fails a constraint, found by a parse. */
export function unmet(loc: Location, name: string, bound?: unknown): Invalid {
  const [type, msg] = wordsOf(name, bound);
  return Invalid.at(loc, msg, type);
}

/**
 * The exception factory of the ValidationPipe: everything that is wrong, one item for each offending value, in the
 * order in which the classes declare their members; then unknown members, then what concerns an object as a whole.
 */
export function invalidFrom(errors: readonly ValidationError[]): Invalid {
  return new Invalid(itemsOf(errors));
}

/** Items located from the object that the errors are about. */
function itemsOf(errors: readonly ValidationError[]): InvalidItem[] {
  const wrong = new Set(errors.map(({ property }) => property));
  const positions = new Map(Object.keys(errors[0]?.target ?? {}).map((name, index) => [name, index]));
  const position = ({ loc: [member] }: InvalidItem): number =>
    member === undefined ? positions.size + 1 : (positions.get(String(member)) ?? positions.size);
  return errors
    .filter((error) => !membersOf(error).some((member) => wrong.has(member)))
    .flatMap(itemsOfMember)
    .sort((a, b) => position(a) - position(b));
}

/** The members that a constraint of `Together` is about. */
function membersOf({ contexts }: ValidationError): readonly string[] {
  return (contexts?.['together'] as { members: readonly string[] } | undefined)?.members ?? [];
}

function itemsOfMember(error: ValidationError): readonly InvalidItem[] {
  const { target = {}, property, children = [], constraints = {}, contexts = {} } = error;
  const replaced = (target as Record<string, unknown>)[property];
  if (replaced instanceof Invalid) return replaced.items;
  const member = Array.isArray(target) ? Number(property) : property;
  if (children.length > 0) return new Invalid(itemsOf(children)).under([member]).items;
  if (error.value === undefined) return Invalid.at([member], 'Field required', 'missing').items;
  const [[name, message] = ['', '']] = Object.entries(constraints);
  const { type } = (contexts[name] ?? {}) as { type?: InvalidType };
  return Invalid.at([member], message, type).items;
}

/** `'a', 'b' or 'c'`, as pydantic writes it. */
function enumerated(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`;
}

import { validateSync } from 'class-validator';
import type { Settings } from '../../config/settings.js';
import { Invalid, type InvalidItem, type InvalidType, type Location } from '../../errors/index.js';
import { isDictionary, isJsonObject } from './check.js';
import { fieldsOf, type FieldRules, type Type } from './field.js';
import { isClosed, wholeChecksOf } from './whole.js';

/**
 * Reads a JSON value as an instance of a class whose properties carry field decorators. Values are taken as they are:
 * nothing is converted, cloned or renamed on the way, and members that the class does not know are never looked at.
 * (class-transformer would walk and copy free-form members, drop their `__proto__` keys and recurse as deep as the
 * caller likes, so it is not used.)
 * @throws Invalid with everything that is wrong, in the order of the fields, one item for each offending value.
 */
export function readInput<T extends object>(
  type: Type<T>,
  raw: unknown,
  loc: Location,
  settings: Settings,
): T {
  if (!isJsonObject(raw)) throw Invalid.at(loc, isDictionary.msg, isDictionary.type);
  const fields = fieldsOf(type);
  const input = new type();
  const values = input as Record<string, unknown>;
  const items: InvalidItem[] = [];
  for (const { name } of fields) if (Object.hasOwn(raw, name)) values[name] = raw[name];
  const unfit = unfitMembers(input);
  for (const field of fields) {
    items.push(...readField(field, raw, values, unfit.get(field.name), [...loc, field.name], settings));
  }
  items.push(...unknownMembers(type, raw, fields, loc));
  const wrong = new Set(items.map((item) => item.loc[loc.length]));
  for (const { members, check } of wholeChecksOf(type)) {
    if (members.every((member) => !wrong.has(member))) {
      items.push(
        ...itemsOf(() => {
          check(input, loc, settings);
        }),
      );
    }
  }
  if (items.length > 0) throw new Invalid(inFieldOrder(items, fields, loc));
  return input;
}

/** Unknown members come after the declared ones, and what concerns the whole comes last. */
function inFieldOrder(
  items: readonly InvalidItem[],
  fields: readonly FieldRules[],
  loc: Location,
): readonly InvalidItem[] {
  const positions = new Map<unknown, number>(fields.map(({ name }, index) => [name, index]));
  const position = ({ loc: at }: InvalidItem): number =>
    at.length === loc.length ? fields.length + 1 : (positions.get(at[loc.length]) ?? fields.length);
  return [...items].sort((a, b) => position(a) - position(b));
}

function readField(
  field: FieldRules,
  raw: Record<string, unknown>,
  values: Record<string, unknown>,
  unfit: Pick<InvalidItem, 'type' | 'msg'> | undefined,
  loc: Location,
  settings: Settings,
): readonly InvalidItem[] {
  const { name, required, nullable, parse } = field;
  if (!Object.hasOwn(raw, name)) return required ? [{ loc, msg: 'Field required', type: 'missing' }] : [];
  if (unfit !== undefined) return [{ loc, msg: unfit.msg, type: unfit.type }];
  if (parse === undefined || (nullable && raw[name] === null)) return [];
  return itemsOf(() => {
    values[name] = parse(raw[name], loc, settings);
  });
}

/** The first constraint that each member fails; constraints are named like the types of items. */
function unfitMembers(input: object): Map<string, Pick<InvalidItem, 'type' | 'msg'>> {
  const errors = validateSync(input, {
    stopAtFirstError: true,
    forbidUnknownValues: false,
    validationError: { target: false, value: false },
  });
  return new Map(
    errors.flatMap(({ property, constraints = {} }) =>
      Object.entries(constraints)
        .slice(0, 1)
        .map(([type, msg]) => [property, { msg, type: type as InvalidType }] as const),
    ),
  );
}

function unknownMembers(
  type: Type,
  raw: Record<string, unknown>,
  fields: readonly FieldRules[],
  loc: Location,
): readonly InvalidItem[] {
  if (!isClosed(type)) return [];
  const known = new Set(fields.map(({ name }) => name));
  return Object.keys(raw)
    .filter((name) => !known.has(name))
    .map((name) => ({ loc: [...loc, name], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' }));
}

/** What an action finds wrong. */
export function itemsOf(action: () => void): readonly InvalidItem[] {
  try {
    action();
    return [];
  } catch (error) {
    if (error instanceof Invalid) return error.items;
    throw error;
  }
}

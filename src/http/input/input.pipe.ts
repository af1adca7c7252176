import 'reflect-metadata';
import { validateSync, type ValidationError } from 'class-validator';
import { type ArgumentMetadata, Inject, Injectable, type PipeTransform } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { Invalid, type InvalidItem, type Location, violation } from '../../errors/index.js';
import { isJsonObject } from '../../json/exact-json.js';
import { itemOf } from './constraints.js';

/** An input class. Its constructor takes no arguments. */
export type Type<T extends object = object> = new () => T;

/**
 * Converts a value that meets its constraints to the type that the services expect.
 *
 * @throws Invalid with all errors in the value, located under `loc`.
 */
export type Parse = (value: unknown, loc: Location, settings: Settings) => unknown;

/** Describes how a member is read, apart from its constraints. */
interface Member {
  readonly required?: boolean;
  readonly nullable?: boolean;
  /** Converts the raw value before the constraints are checked. */
  readonly convert?: ((value: unknown) => unknown) | undefined;
  readonly parse?: Parse | undefined;
}

interface CrossFieldCheck {
  readonly members: readonly string[];
  readonly check: (input: never) => void;
}

const MEMBER = Symbol('member');
const CHECKS = Symbol('checks');

export const Reading = (member: Member): PropertyDecorator => Reflect.metadata(MEMBER, member);

const closed = new Set<Type>();

/**
 * Class decorator: rejects members that the class does not declare. Without this decorator, such members are ignored.
 */
export const Closed = () => (type: Type) => void closed.add(type);

export const closedTypes = (): Iterable<Type> => closed;

/**
 * Class decorator: adds a constraint on several members. The constraint is checked if each of these members is valid.
 *
 * @param check throws Invalid; its locations are relative to the object, so that `[]` is the object itself
 */
export function CrossField<T extends object>(
  members: readonly (keyof T & string)[],
  check: (input: T) => void,
): (type: new () => T) => void {
  return (type) => {
    Reflect.defineMetadata(CHECKS, [{ members, check }, ...checksOf(type)], type);
  };
}

/**
 * Reads input as an instance of its class. Reads only declared members, and recurses only into declared classes.
 * Free-form JSON therefore keeps its `__proto__` keys and its digits, and costs no time, however large or deep it is.
 * (class-transformer and Nest's ValidationPipe traverse, copy and change free-form JSON.)
 *
 * @throws Invalid with all errors, located under `loc`. Errors of constraints and parses come first, in the order in
 * which the class declares the members. Unknown members follow, and then constraints on the whole object.
 */
export function readInput<T extends object>(
  type: Type<T>,
  raw: unknown,
  loc: Location,
  settings: Settings,
): T {
  if (raw === undefined) throw missing(loc);
  if (!isJsonObject(raw)) throw violation(loc, 'isJsonObject');
  const input = new type();
  const members = input as Record<string, unknown>;
  const names = Object.keys(input);
  for (const name of names.filter((declared) => Object.hasOwn(raw, declared))) {
    const { convert } = memberOf(type, name);
    members[name] = convert === undefined ? raw[name] : convert(raw[name]);
  }
  const errors = validateSync(input, { stopAtFirstError: true, forbidUnknownValues: false });
  const wrong = new Map(names.map((name) => [name, itemsOf(() => (members[name] = read(name)))]));
  const unknown = closed.has(type) ? Object.keys(raw).filter((name) => !names.includes(name)) : [];
  const crossing = checksOf(type)
    .filter((one) => one.members.every((name) => wrong.get(name)?.length === 0))
    .flatMap(({ check }) =>
      itemsOf(() => {
        check(input as never);
      }),
    );
  const items = [...[...wrong.values()].flat(), ...unknown.flatMap(extra), ...crossing];
  if (items.length > 0) throw new Invalid(inOrder(items, names)).under(loc);
  return input;

  function read(name: string): unknown {
    const { required = false, nullable = false, parse } = memberOf(type, name);
    const value = members[name];
    if (value === undefined && required) throw missing([name]);
    if (value === undefined || (value === null && nullable)) return value;
    const error: ValidationError | undefined = errors.find(({ property }) => property === name);
    if (error !== undefined) throw new Invalid([itemOf(error)]);
    return parse === undefined ? value : parse(value, [name], settings);
  }
}

/** Runs an action and returns the items of the Invalid that it throws. */
export function itemsOf(action: () => unknown): readonly InvalidItem[] {
  try {
    action();
    return [];
  } catch (error) {
    if (error instanceof Invalid) return error.items;
    throw error;
  }
}

function inOrder(items: readonly InvalidItem[], names: readonly string[]): InvalidItem[] {
  const position = ({ loc: [member] }: InvalidItem): number => {
    if (member === undefined) return names.length + 1;
    const declared = names.indexOf(String(member));
    return declared < 0 ? names.length : declared;
  };
  return [...items].sort((a, b) => position(a) - position(b));
}

const missing = (loc: Location): Invalid => violation(loc, 'isDefined');

const extra = (name: string): readonly InvalidItem[] => violation([name], 'whitelistValidation').items;

const memberOf = ({ prototype }: Type, name: string): Member =>
  (Reflect.getMetadata(MEMBER, prototype as object, name) ?? {}) as Member;

const checksOf = (type: Type): readonly CrossFieldCheck[] =>
  (Reflect.getMetadata(CHECKS, type) ?? []) as readonly CrossFieldCheck[];

const PLACES = { body: ['body'], query: ['query'], param: ['path'] } as const;

/** Parameter types that are not input classes. This pipe does not read their values. */
const PLAIN: readonly unknown[] = [undefined, String, Boolean, Number, Array, Object];

/** Converts bodies, query strings and path parameters to instances of their classes. */
@Injectable()
export class InputPipe implements PipeTransform {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type === 'custom' || PLAIN.includes(metatype)) return value;
    return readInput(metatype as Type, value, PLACES[type], this.settings);
  }
}

import 'reflect-metadata';
import { validateSync, type ValidationError } from 'class-validator';
import { type ArgumentMetadata, Inject, Injectable, type PipeTransform } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { Invalid, type InvalidItem, type Location } from '../../errors/index.js';
import { isJsonObject } from '../../json/json-object.js';
import { itemOf, violation } from './constraints.js';

/** A class of input; made without arguments. */
export type Type<T extends object = object> = new () => T;

/**
 * Turns a value that meets its constraints into what services take, or finds what is wrong inside it.
 * @throws Invalid with every item, located under `loc`.
 */
export type Parse = (value: unknown, loc: Location, settings: Settings) => unknown;

/** What is known of a member beside its constraints. */
interface Member {
  readonly required?: boolean;
  readonly nullable?: boolean;
  /** Makes a member from what the request has, before its constraints are looked at. */
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

/** Members that the class does not declare are refused instead of ignored. */
export const Closed = () => (type: Type) => void closed.add(type);

export const closedTypes = (): Iterable<Type> => closed;

/**
 * A demand on several members of a class, which counts when each of them is fine on its own.
 * @param check throws Invalid; its places begin at the object, so that `[]` is the object itself
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
 * Input as an instance of its class. It takes the members that the class declares and never looks at others, and it goes
 * into declared classes only: free-form JSON keeps its `__proto__` keys and its digits, however large or deep it is, and
 * costs nothing. (class-transformer and Nest's ValidationPipe walk, copy and change all of it.)
 * @throws Invalid with everything that is wrong, located under `loc`: what the constraints of class-validator and the
 *   parses of members refuse, in the order in which the class declares them; then unknown members, then what concerns the
 *   object as a whole.
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

/** The items of the Invalid that an action throws. */
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

const missing = (loc: Location): Invalid => Invalid.at(loc, 'Field required', 'missing');

const extra = (name: string): readonly InvalidItem[] =>
  Invalid.at([name], 'Extra inputs are not permitted', 'extra_forbidden').items;

const memberOf = ({ prototype }: Type, name: string): Member =>
  (Reflect.getMetadata(MEMBER, prototype as object, name) ?? {}) as Member;

const checksOf = (type: Type): readonly CrossFieldCheck[] =>
  (Reflect.getMetadata(CHECKS, type) ?? []) as readonly CrossFieldCheck[];

const PLACES = { body: ['body'], query: ['query'], param: ['path'] } as const;

/** What Nest gives for an argument without a class of its own. */
const PLAIN: readonly unknown[] = [undefined, String, Boolean, Number, Array, Object];

/** Bodies, query strings and path parameters as instances of their classes. */
@Injectable()
export class InputPipe implements PipeTransform {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type === 'custom' || PLAIN.includes(metatype)) return value;
    return readInput(metatype as Type, value, PLACES[type], this.settings);
  }
}

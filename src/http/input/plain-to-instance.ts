import 'reflect-metadata';
import { IsEmpty } from 'class-validator';
import { Invalid } from '../../errors/index.js';
import { isJsonObject } from '../../json/json-object.js';

/** A class of input; made without arguments. */
export type Type<T extends object = object> = new () => T;

const CONVERSION = Symbol('conversion');
const CLOSED = Symbol('closed');
const UNKNOWN_MEMBERS = 'unknown members';

/** How a member is made from what the request has; without this it is carried as it came. */
export function Converted(convert: (value: unknown) => unknown): PropertyDecorator {
  return Reflect.metadata(CONVERSION, convert);
}

const closed = new Set<Type>();

/** Members that the class does not declare are refused instead of ignored. */
export function Closed(): (type: Type) => void {
  return (type) => {
    closed.add(type);
    const prototype = type.prototype as object;
    Reflect.defineMetadata(CLOSED, true, prototype);
    IsEmpty()(prototype, UNKNOWN_MEMBERS);
  };
}

/** Every class that is closed. */
export function closedTypes(): Iterable<Type> {
  return closed;
}

/**
 * Stands in for class-transformer's function of that name, which walks and copies free-form members, drops `__proto__`
 * keys and recurses as deep as the caller likes. This one takes the members that the class declares, as they are, and
 * goes into those only that are objects of a declared class; it never looks at others.
 * @throws Invalid for what is no object.
 */
export function plainToInstance<T extends object>(type: Type<T>, plain: unknown): T {
  if (plain === undefined) throw Invalid.at([], 'Field required', 'missing');
  if (!isJsonObject(plain)) throw Invalid.at([], 'Input should be a valid dictionary', 'dict_type');
  const instance = new type();
  const members = instance as Record<string, unknown>;
  const names = Object.keys(instance);
  const prototype = type.prototype as object;
  for (const name of names.filter((declared) => Object.hasOwn(plain, declared))) {
    const convert = Reflect.getMetadata(CONVERSION, prototype, name) as
      ((value: unknown) => unknown) | undefined;
    members[name] = convert === undefined ? plain[name] : convert(plain[name]);
  }
  if (Reflect.hasMetadata(CLOSED, prototype)) {
    const unknown = Object.keys(plain).filter((name) => !names.includes(name));
    if (unknown.length > 0) members[UNKNOWN_MEMBERS] = unknownMembers(unknown);
  }
  return instance;
}

function unknownMembers(names: readonly string[]): Invalid {
  return new Invalid(
    names.map((name) => ({ loc: [name], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' })),
  );
}

import 'reflect-metadata';
import type { Type } from '../input.pipe.js';

/** What a body may have besides the members of its class. */
interface Besides {
  /** A class whose members the same body may have. */
  readonly also: () => Type;
  /** Further members. */
  readonly names: readonly string[];
}

const BESIDES = Symbol('besides');

/** Class decorator: tells which members a body may have besides those of the class, for {@link namesOf}. */
export const TakesBesides = (besides: Besides): ClassDecorator => Reflect.metadata(BESIDES, besides);

const known = new WeakMap<Type, readonly string[]>();

/** Returns the names of the members that are read into a class. */
export function namesOf(type: Type): readonly string[] {
  const cached = known.get(type);
  if (cached !== undefined) return cached;
  const besides = Reflect.getMetadata(BESIDES, type) as Besides | undefined;
  const more = besides === undefined ? [] : [...namesOf(besides.also()), ...besides.names];
  const names = [...new Set([...Object.keys(new type()), ...more])];
  known.set(type, names);
  return names;
}

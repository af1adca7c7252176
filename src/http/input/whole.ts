import 'reflect-metadata';
import type { Settings } from '../../config/settings.js';
import type { Location } from '../../errors/index.js';
import { chainOf, type Type } from './field.js';

const CLOSED = Symbol('closed');
const WHOLE = Symbol('whole');

/** What several members together must fulfil. It runs when each of `members` is fine on its own. */
export interface WholeCheck<T extends object = object> {
  readonly members: readonly (keyof T & string)[];
  /** @throws Invalid */
  readonly check: (input: T, loc: Location, settings: Settings) => void;
}

/** Members that the class does not declare are `extra_forbidden` instead of ignored. */
export function Closed(): ClassDecorator {
  return (type) => {
    Reflect.defineMetadata(CLOSED, true, type);
  };
}

export function isClosed(type: Type): boolean {
  return Reflect.getMetadata(CLOSED, type) === true;
}

/** A demand on the object as a whole; its errors stand at the object's own place. */
export function Whole<T extends object>(check: WholeCheck<T>): (type: Type<T>) => void {
  return (type) => {
    const prototype = type.prototype as object;
    const own = Reflect.getOwnMetadata(WHOLE, prototype) as WholeCheck<T>[] | undefined;
    Reflect.defineMetadata(WHOLE, [...(own ?? []), check], prototype);
  };
}

export function wholeChecksOf(type: Type): WholeCheck[] {
  return chainOf(type).flatMap(
    (prototype) => (Reflect.getOwnMetadata(WHOLE, prototype) as WholeCheck[] | undefined) ?? [],
  );
}

import { Invalid, type Location, violation } from '../../errors/index.js';
import { MAX_JSON_DEPTH, unstorablePlaces, textDefect } from '../../json/storable.js';
import { itemsOf, type Parse } from './input.pipe.js';

/** A function like {@link Parse}, with additional arguments. */
type Reads<More extends readonly unknown[]> = (value: unknown, loc: Location, ...more: More) => unknown;

/** Parses a string that PostgreSQL can store. */
export function text(value: unknown, loc: Location): string {
  if (typeof value !== 'string') throw violation(loc, 'isString');
  if (textDefect(value) !== undefined) throw violation(loc, 'isStorable');
  return value;
}

export function choice(values: readonly string[]): Parse {
  return (value, loc) => {
    if (!values.includes(value as string)) throw violation(loc, 'isIn', values);
    return value;
  };
}

export function inTurn(...parses: readonly Parse[]): Parse {
  return (value, loc, settings) => parses.reduce((last, parse) => parse(last, loc, settings), value);
}

/** Parses each member of a list and reports all errors together. */
export function eachOf<More extends readonly unknown[]>(parse: Reads<More>): Reads<More> {
  return (value, loc, ...more) => {
    const results: unknown[] = [];
    const items = (value as unknown[]).flatMap((member, index) =>
      itemsOf(() => results.push(parse(member, [...loc, index], ...more))),
    );
    if (items.length > 0) throw new Invalid(items);
    return results;
  };
}

/** Parses each value of an object and reports all errors together. Returns the object itself, not the parsed values. */
export function eachValueOf(parse: Parse): Parse {
  return (value, loc, settings) => {
    const items = Object.entries(value as object).flatMap(([key, member]) =>
      itemsOf(() => parse(member, [...loc, key], settings)),
    );
    if (items.length > 0) throw new Invalid(items);
    return value;
  };
}

/** Checks that every key and string of free-form JSON can be stored, at any depth. Returns the same object. */
export function storableJson(value: unknown, loc: Location): unknown {
  const places = unstorablePlaces(value);
  if (places === undefined) {
    throw Invalid.at(loc, `Value error, JSON must not be nested deeper than ${MAX_JSON_DEPTH} levels`);
  }
  const items = places.flatMap((place) => violation([...loc, ...place], 'isStorable').items);
  if (items.length > 0) throw new Invalid(items);
  return value;
}

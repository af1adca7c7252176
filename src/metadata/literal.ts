import { textDefect } from '../json/text-defect.js';
import type { Location } from '../errors/index.js';
import { ExactNumber } from '../json/exact-number.js';
import { describe, jsonKind } from './json-kind.js';
import { numberDefect } from './number-range.js';
import type { Problems } from './problems.js';

export type Scalar = string | number | boolean | ExactNumber;

/** A JSON value that a filter compares with; keys with `$` are ordinary keys here. */
export type Literal = Scalar | null | readonly Literal[] | { readonly [key: string]: Literal };

const DEEPEST = 100;

export function isScalar(value: Literal): value is Scalar {
  return value !== null && (typeof value !== 'object' || value instanceof ExactNumber);
}

/**
 * Checks a JSON value that a filter compares with.
 * @param operator names what the value belongs to in the messages.
 * @returns the value; what is wrong with it, at any depth, is added to `problems`.
 */
export function readLiteral(value: unknown, loc: Location, operator: string, problems: Problems): Literal {
  check(value, loc, 0);
  return value as Literal;

  function check(part: unknown, at: Location, depth: number): void {
    if (depth > DEEPEST) {
      problems.add(at, `${operator} expects at most ${DEEPEST} levels of nesting, got more`);
      return;
    }
    const kind = jsonKind(part);
    if (kind === undefined) {
      problems.add(at, `${operator} expects a JSON value, got ${describe(part)}`);
    } else if (kind === 'string') {
      checkText(part as string, at, 'a string');
    } else if (kind === 'number') {
      const defect = numberDefect(part as number | ExactNumber);
      if (defect !== undefined)
        problems.add(at, `${operator} expects a number within the range of a double, got ${defect}`);
    } else if (kind === 'array') {
      (part as readonly unknown[]).forEach((member, index) => {
        check(member, [...at, index], depth + 1);
      });
    } else if (kind === 'object') {
      for (const [key, member] of Object.entries(part as object)) {
        checkText(key, [...at, key], 'a key');
        check(member, [...at, key], depth + 1);
      }
    }
  }

  function checkText(text: string, at: Location, what: string): void {
    const defect = textDefect(text);
    if (defect !== undefined)
      problems.add(at, `${operator} expects well-formed text, got ${what} with ${defect}`);
  }
}

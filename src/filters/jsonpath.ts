import { ExactNumber } from '../json/exact-number.js';
import type { Scalar } from '../metadata/literal.js';

/**
 * Pieces of jsonpath text. A path is always a parameter of the statement; keys and values stand in it as JSON
 * literals. Paths run in lax mode, where a member accessor goes through the objects of an array, one level deep, and
 * a filter looks at the elements of an array: MongoDB's rules. Where lax mode would go further (comparisons look into
 * nested arrays), the tests ask for the type first.
 */
export function member(key: string): string {
  return `.${JSON.stringify(key)}`;
}

export function anyOf(tests: readonly string[]): string {
  return balanced(tests, '||');
}

/** Joined as a balanced tree: a chain of thousands would be thousands of levels deep for the parser. */
function balanced(tests: readonly string[], operator: string): string {
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  const middle = Math.ceil(tests.length / 2);
  const left = balanced(tests.slice(0, middle), operator);
  return `(${left} ${operator} ${balanced(tests.slice(middle), operator)})`;
}

export function isOfType(type: string, item = '@'): string {
  return `${item}.type() == "${type}"`;
}

/** Test of an item: a scalar of the same type that stands in `operator` to the operand. */
export function scalarTest(operator: '==' | '>' | '>=' | '<' | '<=', operand: Scalar): string {
  return `${isOfType(scalarType(operand))} && @ ${operator} ${scalarLiteral(operand)}`;
}

/** Test of an item: equal to one of the scalars. */
export function scalarAmong(operands: readonly Scalar[]): string {
  const types = [...new Set(operands.map(scalarType))];
  return anyOf(
    types.map((type) => {
      const equal = operands.filter((operand) => scalarType(operand) === type);
      return `${isOfType(type)} && ${anyOf(equal.map((operand) => `@ == ${scalarLiteral(operand)}`))}`;
    }),
  );
}

function scalarLiteral(operand: Scalar): string {
  if (operand instanceof ExactNumber) return operand.literal;
  return JSON.stringify(operand);
}

function scalarType(operand: Scalar): string {
  return operand instanceof ExactNumber ? 'number' : typeof operand;
}

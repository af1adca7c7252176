import type { Location, Problems } from '../../errors/index.js';
import { composedJson } from '../../json/spelling.js';
import { readLiteral, type Literal } from '../../metadata/literal.js';

/** Reads the operand of a comparison like {@link readLiteral}, in the spelling in which metadata is compared. */
export function readOperand(value: unknown, loc: Location, operator: string, problems: Problems): Literal {
  return composedJson(readLiteral(value, loc, operator, problems));
}

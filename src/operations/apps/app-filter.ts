import { Invalid, type Location } from '../../errors/index.js';
import type { Filter } from '../../filters/filter.js';
import { parseFilter } from '../../filters/parse/parse-filter.js';
import { isJsonObject, parseJson } from '../../json/exact-json.js';

/** Name under which the text is filtered, because the filter language treats this name as a text column. */
const FIELD = 'filename';

/**
 * Parses a filter on a single text column, such as `{"$in": ["a", "b"]}`, from a query string. A list matches if one of
 * its members matches. A text in a list is compared for equality.
 *
 * @throws Invalid at `loc`.
 */
export function parseTextFilter(text: unknown, loc: Location): Filter | null {
  try {
    return parseFilter(overField(jsonOf(text as string, loc), loc), loc);
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    // The client did not write the field name, so the locations of errors must not contain it.
    throw new Invalid(error.items.map((item) => ({ ...item, loc: item.loc.filter((at) => at !== FIELD) })));
  }
}

function jsonOf(text: string, loc: Location): unknown {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw Invalid.at(loc, 'JSON decode error', 'json_invalid');
  }
  if (isJsonObject(value) || Array.isArray(value)) return value;
  throw Invalid.at(loc, 'Value error, a filter must be a JSON object or array');
}

function overField(value: unknown, loc: Location): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0) throw Invalid.at(loc, 'Value error, a list of filters must not be empty');
    return { $or: value.map((member) => overField(member, loc)) };
  }
  if (!isJsonObject(value)) return { [FIELD]: value };
  const combined: Record<string, unknown> = {};
  const predicate: Record<string, unknown> = {};
  for (const [name, operand] of Object.entries<unknown>(value)) {
    if (COMBINING.has(name) && Array.isArray(operand)) {
      combined[name] = operand.map((member) => overField(member, loc));
    } else if (name === '$not') combined[name] = overField(operand, loc);
    else predicate[name] = operand;
  }
  return { ...combined, ...(Object.keys(predicate).length === 0 ? {} : { [FIELD]: predicate }) };
}

const COMBINING = new Set(['$and', '$or', '$nor']);

import type { Location, Problems } from '../../errors/index.js';
import { isJsonObject } from '../../json/exact-json.js';
import { composed } from '../../json/spelling.js';
import { textDefect } from '../../json/storable.js';
import { describe } from '../../metadata/literal.js';
import { EVERYTHING, type Field, type Filter } from '../filter.js';
import type { ParseState } from './parse-state.js';

const MAX_PATTERN_LENGTH = 1_000;
const FLAGS = 'imsx';

interface Part {
  readonly value: unknown;
  readonly loc: Location;
}

/**
 * Parses `$regex`: a pattern, or an object of pattern and flags. `$options` adds flags.
 * @param options the sibling `$options`; undefined if absent.
 */
export function parseRegex(
  field: Field,
  operand: unknown,
  options: unknown,
  loc: Location,
  state: ParseState,
): Filter {
  const { problems } = state;
  const { pattern, flags } = partsOf(operand, loc, problems);
  const optionsLoc = [...loc.slice(0, -1), '$options'];
  const given = readFlags(flags, '', problems) ?? '';
  const added = readFlags({ value: options, loc: optionsLoc }, given, problems) ?? '';
  if (typeof pattern.value !== 'string') {
    const type = pattern.value === undefined ? 'missing' : 'string_type';
    problems.add(pattern.loc, `$regex expects a pattern, got ${describe(pattern.value)}`, type);
    return EVERYTHING;
  }
  const defect = textDefect(pattern.value);
  const length = Array.from(pattern.value).length;
  if (defect !== undefined) {
    problems.add(pattern.loc, `$regex expects a well-formed pattern, got one with ${defect}`);
    return EVERYTHING;
  }
  if (length > MAX_PATTERN_LENGTH) {
    problems.add(pattern.loc, `$regex expects at most ${MAX_PATTERN_LENGTH} characters, got ${length}`);
    return EVERYTHING;
  }
  const translated = state.pattern(composed(pattern.value), given + added, pattern.loc);
  if (translated === undefined) return EVERYTHING;
  if ('are' in translated) return { kind: 'matches', field, pattern: translated };
  problems.add(pattern.loc, `$regex expects a supported RE2 pattern: ${translated.defect}`);
  return EVERYTHING;
}

function partsOf(operand: unknown, loc: Location, problems: Problems): { pattern: Part; flags: Part } {
  if (!isJsonObject(operand)) return { pattern: { value: operand, loc }, flags: { value: undefined, loc } };
  for (const key of Object.keys(operand)) {
    if (key !== 'pattern' && key !== 'flags') {
      problems.add([...loc, key], '$regex expects the keys pattern and flags only', 'extra_forbidden');
    }
  }
  return {
    pattern: { value: operand['pattern'], loc: [...loc, 'pattern'] },
    flags: { value: operand['flags'], loc: [...loc, 'flags'] },
  };
}

function readFlags({ value, loc }: Part, before: string, problems: Problems): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') {
    problems.add(loc, `$regex expects flags as a string, got ${describe(value)}`, 'string_type');
    return undefined;
  }
  const all = Array.from(before + value);
  if (all.every((flag) => FLAGS.includes(flag)) && new Set(all).size === all.length) return value;
  problems.add(loc, `$regex expects the flags i, m, s and x, each at most once, got ${describe(value)}`);
  return undefined;
}

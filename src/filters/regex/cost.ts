/**
 * Maximum number of tokens of a pattern after its repetitions are expanded. A pattern without repetitions never exceeds
 * this limit, because a pattern has at most 1,000 characters.
 */
const MAX_TOKENS = 1_000;

/**
 * Limits that keep matching fast. For every character of a text, PostgreSQL tracks the possible states of an automaton
 * and tries their transitions. Each choice may add a state. A move is a transition. The slowest patterns within these
 * limits take a quarter of a second for a text of 100 KB, and half a second on the embedded database.
 */
const MAX_CHOICES = 200;
const MAX_MOVES = 1_000;

/**
 * Maximum number of consecutive assertions. PostgreSQL expands all their combinations before matching: eight
 * consecutive optional `(?:\b|^|$)` take seconds.
 */
const MAX_MEETING_ASSERTIONS = 4;

/** Maximum length of a translated pattern in characters. A class such as `\pL` alone expands to 10,000. */
const MAX_CHARACTERS = 100_000;

/** A pattern or a part of one, translated to a PostgreSQL advanced regular expression (ARE). */
export interface Translation {
  readonly are: string;
  readonly cost: Cost;
}

/** Cost of compiling and matching a part of a pattern, with expanded repetitions. */
export interface Cost {
  readonly tokens: number;
  /** Number of sets, alternatives, and optional or repeated parts. */
  readonly choices: number;
  /**
   * Upper bounds: the number of tokens that can match the first character (`first`) and the last character (`last`),
   * and the number of transitions between tokens (`moves`; Glushkov automaton, 1961).
   */
  readonly first: number;
  readonly last: number;
  readonly moves: number;
  /**
   * Upper bounds of the number of consecutive assertions: at the start of the part (`leading`), at its end
   * (`trailing`), from its start to its end (`through`; -Infinity if the part always consumes a character), and
   * anywhere in it (`meeting`).
   */
  readonly leading: number;
  readonly trailing: number;
  readonly through: number;
  readonly meeting: number;
}

export const NOTHING: Cost = {
  tokens: 0,
  choices: 0,
  first: 0,
  last: 0,
  moves: 0,
  leading: 0,
  trailing: 0,
  through: 0,
  meeting: 0,
};
export const CHARACTER: Cost = { ...NOTHING, tokens: 1, first: 1, last: 1, through: -Infinity };
export const SET: Cost = { ...CHARACTER, choices: 1 };
export const ASSERTION: Cost = { ...NOTHING, tokens: 1, leading: 1, trailing: 1, through: 1, meeting: 1 };

export function sequence(left: Cost, right: Cost): Cost {
  return {
    tokens: left.tokens + right.tokens,
    choices: left.choices + right.choices,
    first: left.first + (left.through < 0 ? 0 : right.first),
    last: right.last + (right.through < 0 ? 0 : left.last),
    moves: left.moves + right.moves + left.last * right.first,
    leading: Math.max(left.leading, left.through + right.leading),
    trailing: Math.max(right.trailing, right.through + left.trailing),
    through: left.through + right.through,
    meeting: Math.max(left.meeting, right.meeting, left.trailing + right.leading),
  };
}

export function alternatives(left: Cost, right: Cost): Cost {
  return {
    tokens: left.tokens + right.tokens + 1,
    choices: left.choices + right.choices + 1,
    first: left.first + right.first,
    last: left.last + right.last,
    moves: left.moves + right.moves,
    leading: Math.max(left.leading, right.leading),
    trailing: Math.max(left.trailing, right.trailing),
    through: Math.max(left.through, right.through),
    meeting: Math.max(left.meeting, right.meeting),
  };
}

/** @param max Infinity for no upper bound. */
export function repetition(cost: Cost, min: number, max: number): Cost {
  // `a{2,4}` expands to `aa(?:a(?:a)?)?`.
  let total = max === Infinity ? optional(loop(cost)) : NOTHING;
  const copied = { ...cost, choices: Math.max(cost.choices, 1) };
  for (let copy = min; max < Infinity && copy < max; copy += 1) total = optional(sequence(copied, total));
  for (let copy = 0; copy < min; copy += 1) total = sequence(cost, total);
  return total;
}

export function loop(cost: Cost): Cost {
  return {
    ...cost,
    choices: Math.max(cost.choices, 1),
    moves: cost.moves + cost.last * cost.first,
    meeting: Math.max(cost.meeting, cost.trailing + cost.leading),
  };
}

export function optional(cost: Cost): Cost {
  return { ...cost, choices: Math.max(cost.choices, 1), through: Math.max(cost.through, 0) };
}

export class TooComplex extends Error {
  constructor(reason: string) {
    super(`the pattern is too complex: ${reason}`);
  }
}

/** Returns the part unchanged. @throws TooComplex if it exceeds a limit. */
export function bounded(part: Translation): Translation {
  const { tokens, choices, moves, meeting } = part.cost;
  if (meeting > MAX_MEETING_ASSERTIONS) throw new TooComplex('it has too many consecutive assertions');
  if (tokens > MAX_TOKENS) {
    throw new TooComplex(`with expanded repetitions, it has more than ${MAX_TOKENS} parts`);
  }
  if (choices > MAX_CHOICES) {
    throw new TooComplex(
      `with expanded repetitions, it has more than ${MAX_CHOICES} classes, alternatives and optional characters`,
    );
  }
  if (moves > MAX_MOVES) throw new TooComplex('its automaton has too many transitions');
  if (part.are.length > MAX_CHARACTERS) throw new TooComplex('its classes have too many ranges');
  return part;
}

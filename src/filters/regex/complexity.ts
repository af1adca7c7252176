import { positionAutomaton, type Automaton } from './automaton.js';
import { alphabetOf } from './alphabet.js';
import type { Expression } from './expression.js';

/** Past this PostgreSQL needs long to compile the expression, or calls it too complex. */
const MOST_MOVES = 20_000;

/**
 * So many moves can be tried for each character of a text without using up the time that one match may take. Measured:
 * a move costs 3 ns on embedded PostgreSQL, where every character leads to a new set of states.
 */
const MOVES_PER_CHARACTER = 400;

/** A larger automaton is as fast when it has few sets of states: each is worked out once and then looked up. */
const MOST_STATES = 2_000;
const MOST_WORK = 1_500_000;

/** Why matching the expression could take long, in words; undefined when it cannot. */
export function complexityDefect(expression: Expression): string | undefined {
  const automaton = positionAutomaton(expression, MOST_MOVES);
  if (automaton === undefined)
    return 'the pattern is too complex: its repetitions multiply to too many states';
  const letters = alphabetOf(automaton.sets);
  if (movesPerCharacter(automaton, letters) <= MOVES_PER_CHARACTER || hasFewStates(automaton, letters))
    return undefined;
  return 'the pattern is too complex: it has too many ways to match the same text';
}

type Letters = readonly (readonly number[])[];

function movesPerCharacter({ first, follow }: Automaton, letters: Letters): number {
  let moves = 0;
  for (const targets of [first, ...follow]) {
    for (const position of targets) moves += letters[position]?.length ?? 0;
  }
  return moves;
}

/** Whether the subset construction of a search ends soon (Rabin, Scott 1959). */
function hasFewStates({ first, follow }: Automaton, letters: Letters): boolean {
  const followers = follow.map((positions) => [...positions]);
  const seen = new Set<string>();
  const open: (readonly number[])[] = [first];
  let work = 0;
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const next of byLetter(state, letters).values()) {
      const targets = new Set(first);
      for (const position of next) {
        for (const follower of followers[position] ?? []) targets.add(follower);
        work += 1 + (followers[position]?.length ?? 0);
      }
      if (work > MOST_WORK) return false;
      const positions = [...targets].sort((a, b) => a - b);
      const key = keyOf(positions);
      if (seen.has(key)) continue;
      if (seen.size === MOST_STATES) return false;
      seen.add(key);
      open.push(positions);
    }
  }
  return true;
}

/** Positions as one string, a UTF-16 unit each: there are fewer than 65,536. */
function keyOf(positions: readonly number[]): string {
  return String.fromCharCode(...positions);
}

/** The positions that each letter leads into. */
function byLetter(state: readonly number[], letters: Letters): ReadonlyMap<number, readonly number[]> {
  const reached = new Map<number, number[]>();
  for (const position of state) {
    for (const letter of letters[position] ?? []) {
      const positions = reached.get(letter);
      if (positions === undefined) reached.set(letter, [position]);
      else positions.push(position);
    }
  }
  return reached;
}

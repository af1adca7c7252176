import { positionAutomaton, type Automaton } from './automaton.js';
import { alphabetOf } from './alphabet.js';
import type { Expression } from './expression.js';
import type { WorkBudget } from './work-budget.js';

/** Past this PostgreSQL needs long to compile the expression, or calls it too complex. */
const MOST_MOVES = 20_000;

/**
 * So many moves can be tried for each character of a text without using up the time that one match may take. Measured:
 * a move costs 3 ns on embedded PostgreSQL, where every character leads to a new set of states.
 */
const MOVES_PER_CHARACTER = 240;

/** A larger automaton is as fast when it has few sets of states: each is worked out once and then looked up. */
const MOST_STATES = 1_600;

/**
 * Why matching the expression could take long, in words; undefined when it cannot.
 * @param budget for finding out.
 */
export function complexityDefect(expression: Expression, budget: WorkBudget): string | undefined {
  const automaton = positionAutomaton(expression, MOST_MOVES);
  if (automaton === undefined)
    return 'the pattern is too complex: its repetitions multiply to too many states';
  const letters = alphabetOf(automaton.sets);
  if (
    movesPerCharacter(automaton, letters) <= MOVES_PER_CHARACTER ||
    hasFewStates(automaton, letters, budget)
  )
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

/** Positions as a bit each, sixteen to a number, so that a set of them is a string at once. */
type PositionSet = Uint16Array;

/** Whether the subset construction of a search ends soon (Rabin, Scott 1959). */
function hasFewStates({ first, follow }: Automaton, letters: Letters, budget: WorkBudget): boolean {
  const followers = follow.map((positions) => [...positions]);
  const start = new Uint16Array(Math.ceil(follow.length / 16));
  addAll(start, first);
  const seen = new Set<string>();
  const open: PositionSet[] = [start];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    let work = 0;
    const reached: (PositionSet | undefined)[] = [];
    for (const position of positionsOf(state)) {
      const next = followers[position] ?? [];
      for (const letter of letters[position] ?? []) {
        // A search may start anew with every character.
        const targets = (reached[letter] ??= start.slice());
        addAll(targets, next);
        work += 1 + next.length;
      }
    }
    // A set is copied, and made a key.
    for (const targets of reached) work += targets === undefined ? 0 : 3 * targets.length;
    if (!budget.spend(work)) return false;
    for (const targets of reached) {
      if (targets === undefined) continue;
      const key = String.fromCharCode(...targets);
      if (seen.has(key)) continue;
      if (seen.size === MOST_STATES) return false;
      seen.add(key);
      open.push(targets);
    }
  }
  return true;
}

function addAll(set: PositionSet, positions: readonly number[]): void {
  for (const position of positions) set[position >> 4] = (set[position >> 4] ?? 0) | (1 << (position & 15));
}

function positionsOf(set: PositionSet): readonly number[] {
  const positions: number[] = [];
  set.forEach((bits, index) => {
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      positions.push(index * 16 + 31 - Math.clz32(rest & -rest));
    }
  });
  return positions;
}

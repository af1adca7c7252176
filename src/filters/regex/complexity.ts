import { ALTERNATIVE, ASSERTION, rangesOf, type Instruction, type Program } from './program.js';

/** Past so many moves PostgreSQL takes long to compile the expression, or refuses it as too complex. */
const MAX_MOVES = 20_000;

/**
 * The moves that PostgreSQL may try for each character of a text. Measured: a move costs 3 ns on embedded PostgreSQL
 * when every character leads to a new set of states.
 */
const MAX_MOVES_PER_CHARACTER = 240;

/** A larger automaton is as fast when it has few sets of states, because each is computed once and cached. */
const MAX_STATES = 1_600;

/**
 * Assertions in a row with nothing read between them: PostgreSQL computes every combination before it matches anything.
 * Eight optional `(?:\b|^|$)` in a row take three seconds.
 */
const MAX_CHAINED_ASSERTIONS = 4;

const TOO_MANY_ASSERTIONS = 'the pattern is too complex: too many assertions meet at one place';

export const TOO_MANY_STATES = 'the pattern is too complex: its repetitions multiply to too many states';

/** The automaton of a program without empty moves (Glushkov 1961): one position for each instruction that reads. */
interface Automaton {
  /** Positions at which a match can start. */
  readonly first: readonly number[];
  /** Positions that can come after each position. */
  readonly follow: readonly (readonly number[])[];
  /** The letters that each position reads; characters that no position distinguishes are one letter. */
  readonly letters: readonly (readonly number[])[];
}

/**
 * Why matching a pattern could take long, in words; undefined when it cannot.
 * @param budget for the check itself.
 */
export function complexityDefect(program: Program, budget: WorkBudget): string | undefined {
  if (chainedAssertions(program) > MAX_CHAINED_ASSERTIONS) return TOO_MANY_ASSERTIONS;
  const automaton = automatonOf(program, budget);
  if (automaton === undefined) return TOO_MANY_STATES;
  if (movesPerCharacter(automaton) <= MAX_MOVES_PER_CHARACTER || hasFewStates(automaton, budget))
    return undefined;
  return 'the pattern is too complex: it has too many ways to match the same text';
}

/** The most assertions on a path through the program that reads nothing; a loop counts once. */
function chainedAssertions({ instructions }: Program): number {
  const longest = new Int32Array(instructions.length).fill(-1);
  const successorsOf = ({ op, out, arg }: Instruction): readonly number[] =>
    op === ALTERNATIVE ? [out, arg] : [out];
  for (const root of instructions.keys()) {
    // Depth first without recursion, because a program may be longer than the call stack is deep.
    const open: { readonly at: number; entered: boolean }[] = [{ at: root, entered: false }];
    for (let step = open.at(-1); step !== undefined; step = open.at(-1)) {
      const instruction = instructions[step.at];
      if (
        instruction === undefined ||
        instruction.runes.length > 0 ||
        (!step.entered && longest[step.at] !== -1)
      ) {
        open.pop();
        continue;
      }
      const next = successorsOf(instruction);
      if (!step.entered) {
        step.entered = true;
        longest[step.at] = 0;
        open.push(...next.map((at) => ({ at, entered: false })));
        continue;
      }
      const behind = Math.max(0, ...next.map((at) => longest[at] ?? 0));
      longest[step.at] = behind + (instruction.op === ASSERTION ? 1 : 0);
      open.pop();
    }
  }
  return Math.max(0, ...longest);
}

/** Assertions are taken to hold, so that the automaton accepts more than the pattern, never less. */
function automatonOf(program: Program, budget: WorkBudget): Automaton | undefined {
  const { instructions, start } = program;
  const readers = instructions.filter(({ runes }) => runes.length > 0);
  const positions = new Map(readers.map((reader, position) => [reader, position]));
  const reachedFrom = new Int32Array(instructions.length);
  const starts = [start, ...readers.map(({ out }) => out)];
  const follow: number[][] = [];
  let moves = 0;
  for (const [index, from] of starts.entries()) {
    const next: number[] = [];
    const open = [from];
    let work = 0;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const instruction = instructions[at];
      if (instruction === undefined || reachedFrom[at] === index + 1) continue;
      reachedFrom[at] = index + 1;
      work += 1;
      const position = positions.get(instruction);
      if (position !== undefined) next.push(position);
      else if (instruction.op === ALTERNATIVE) open.push(instruction.out, instruction.arg);
      else open.push(instruction.out);
    }
    if (index > 0) moves += next.length;
    if (moves > MAX_MOVES || !budget.spend(work)) return undefined;
    follow.push(next);
  }
  const [first = [], ...rest] = follow;
  return { first, follow: rest, letters: lettersOf(readers, program) };
}

/** Characters that are in the same sets are one letter. */
function lettersOf(readers: readonly Instruction[], { segments, segmentOf }: Program): Automaton['letters'] {
  const memberships = Array.from({ length: segments }, () => '');
  // The instructions of a repetition have the same set.
  const segmentsOf = new Map<string | Int32Array, number[]>();
  const sets = readers.map((reader) => {
    const key = reader.runes.length === 1 ? `${reader.arg} ${reader.runes[0]}` : reader.runes;
    const known = segmentsOf.get(key);
    if (known !== undefined) return known;
    const set: number[] = [];
    for (const [first, last] of rangesOf(reader)) {
      const end = segmentOf(last);
      for (let segment = segmentOf(first); segment <= end; segment += 1) {
        memberships[segment] = `${memberships[segment] ?? ''} ${segmentsOf.size}`;
        set.push(segment);
      }
    }
    segmentsOf.set(key, set);
    return set;
  });
  const letters = new Map([...new Set(memberships)].map((membership, letter) => [membership, letter]));
  const lettersIn = new Map(
    [...segmentsOf.values()].map((set) => [
      set,
      [...new Set(set.map((segment) => letters.get(memberships[segment] ?? '') ?? 0))],
    ]),
  );
  return sets.map((set) => lettersIn.get(set) ?? []);
}

function movesPerCharacter({ first, follow, letters }: Automaton): number {
  let moves = 0;
  for (const targets of [first, ...follow]) {
    for (const position of targets) moves += letters[position]?.length ?? 0;
  }
  return moves;
}

/** Positions as one bit each, sixteen to a number, so that a set is easily made a string. */
type PositionSet = Uint16Array;

/** Whether the subset construction of a search ends soon (Rabin, Scott 1959). */
function hasFewStates({ first, follow, letters }: Automaton, budget: WorkBudget): boolean {
  const start = new Uint16Array(Math.ceil(follow.length / 16));
  addAll(start, first);
  const seen = new Set<string>();
  const open: PositionSet[] = [start];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    let work = 0;
    const reached: (PositionSet | undefined)[] = [];
    for (const position of positionsOf(state)) {
      const next = follow[position] ?? [];
      for (const letter of letters[position] ?? []) {
        // A match may start at every character.
        const targets = (reached[letter] ??= start.slice());
        addAll(targets, next);
        work += 1 + next.length;
      }
    }
    // Copying a set and making it a key.
    for (const targets of reached) work += targets === undefined ? 0 : 3 * targets.length;
    if (!budget.spend(work)) return false;
    for (const targets of reached) {
      if (targets === undefined) continue;
      const key = String.fromCharCode(...targets);
      if (seen.has(key)) continue;
      if (seen.size === MAX_STATES) return false;
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

/**
 * Bounds the work of checking all patterns of one filter, which is synchronous, so that other requests wait for it.
 * A unit is about 20 ns.
 */
export class WorkBudget {
  private spent = 0;

  constructor(private readonly max = 1_500_000) {}

  /** Whether anything was spent. */
  get isTouched(): boolean {
    return this.spent > 0;
  }

  /** Spends units; false when the budget is used up. */
  spend(units: number): boolean {
    this.spent += units;
    return this.spent <= this.max;
  }
}

import type { CharacterSet } from './character-set.js';
import type { Expression } from './expression.js';

/**
 * The position automaton of an expression (Glushkov 1961): one state per character of the expanded expression,
 * without empty moves. Assertions count as empty, so the automaton accepts more than the expression, never less.
 */
export interface Automaton {
  /** The characters that lead into each position. */
  readonly sets: readonly CharacterSet[];
  /** Positions at which a match can start. */
  readonly first: readonly number[];
  /** Positions that can come after each position. */
  readonly follow: readonly ReadonlySet<number>[];
}

interface Fragment {
  readonly nullable: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

const EMPTY: Fragment = { nullable: true, first: [], last: [] };

/** @returns undefined when the automaton has more than `mostMoves` moves between positions. */
export function positionAutomaton(expression: Expression, mostMoves: number): Automaton | undefined {
  const sets: CharacterSet[] = [];
  const follow: Set<number>[] = [];
  let moves = 0;
  const whole = build(expression);
  return whole && { sets, first: whole.first, follow };

  function build(part: Expression): Fragment | undefined {
    switch (part.kind) {
      case 'assertion':
        return EMPTY;
      case 'character': {
        const position = sets.push(part.set) - 1;
        follow.push(new Set());
        return position > mostMoves ? undefined : { nullable: false, first: [position], last: [position] };
      }
      case 'alternatives':
        return part.parts.map(build).reduce(either);
      case 'sequence':
        return chain(part.parts);
      case 'repeat':
        return buildRepeat(part.part, part.min, part.max);
    }
  }

  function chain(parts: readonly Expression[]): Fragment | undefined {
    let whole: Fragment | undefined = EMPTY;
    for (const part of parts) {
      whole = join(whole, build(part));
      if (whole === undefined) return undefined;
    }
    return whole;
  }

  /** `x{2,4}` is `xx(x(x)?)?`, `x{2,}` is `xx+`. */
  function buildRepeat(part: Expression, min: number, max: number): Fragment | undefined {
    let whole: Fragment | undefined = EMPTY;
    if (max === Infinity) {
      const loop = build(part);
      whole =
        loop && connect(loop.last, loop.first)
          ? { ...loop, nullable: loop.nullable || min === 0 }
          : undefined;
    } else {
      for (let copy = max; copy > min && whole !== undefined; copy -= 1) {
        const optional: Fragment | undefined = join(build(part), whole);
        whole = optional && { ...optional, nullable: true };
      }
    }
    const required = max === Infinity ? min - 1 : min;
    for (let copy = 0; copy < required && whole !== undefined; copy += 1) whole = join(build(part), whole);
    return whole;
  }

  function join(left: Fragment | undefined, right: Fragment | undefined): Fragment | undefined {
    if (left === undefined || right === undefined || !connect(left.last, right.first)) return undefined;
    return {
      nullable: left.nullable && right.nullable,
      first: left.nullable ? [...left.first, ...right.first] : left.first,
      last: right.nullable ? [...right.last, ...left.last] : right.last,
    };
  }

  function connect(from: readonly number[], to: readonly number[]): boolean {
    moves += from.length * to.length;
    if (moves > mostMoves) return false;
    for (const position of from) for (const next of to) follow[position]?.add(next);
    return true;
  }
}

function either(left: Fragment | undefined, right: Fragment | undefined): Fragment | undefined {
  return (
    left &&
    right && {
      nullable: left.nullable || right.nullable,
      first: [...left.first, ...right.first],
      last: [...left.last, ...right.last],
    }
  );
}

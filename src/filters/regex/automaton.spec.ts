import { positionAutomaton } from './automaton.js';
import { singleton } from './character-set.js';
import { alternatives, character } from './expression.js';
import { parsePattern } from './parse-pattern.js';

const FLAGS = { ignoreCase: false, dotAll: false, multiline: false };

/** The positions where a match can start, and those that can come after each, numbered as they were made. */
function movesOf(pattern: string, mostMoves = 1_000): string | undefined {
  const automaton = positionAutomaton(parsePattern(pattern, FLAGS), mostMoves);
  if (automaton === undefined) return undefined;
  const follow = automaton.follow.map((next, position) =>
    `${position}: ${[...next].toSorted((a, b) => a - b).join(' ')}`.trim(),
  );
  return [[...automaton.first].toSorted((a, b) => a - b).join(' '), ...follow].join(', ');
}

describe('the position automaton of a pattern', () => {
  it.each([
    ['', ''],
    ['a', '0, 0:'],
    ['^a\\b$', '0, 0:'],
    ['ab', '0, 0: 1, 1:'],
    ['ab|cd', '0 2, 0: 1, 1:, 2: 3, 3:'],
    ['(ab|cd)e', '0 2, 0: 1, 1: 4, 2: 3, 3: 4, 4:'],
    ['a(bc|de)', '0, 0: 1 3, 1: 2, 2:, 3: 4, 4:'],
    ['(ab|)c', '0 2, 0: 1, 1: 2, 2:'],
    ['(|ab)c', '0 2, 0: 1, 1: 2, 2:'],
    ['a?b', '0 1, 0: 1, 1:'],
    ['ab?', '0, 0: 1, 1:'],
    ['ab?c?d', '0, 0: 1 2 3, 1: 2 3, 2: 3, 3:'],
    ['a*b', '0 1, 0: 0 1, 1:'],
    ['a+b', '0, 0: 0 1, 1:'],
    ['(ab)+c', '0, 0: 1, 1: 0 2, 2:'],
    ['(a?b?)+c', '0 1 2, 0: 0 1 2, 1: 0 1 2, 2:'],
    ['(ab){2}', '2, 0: 1, 1:, 2: 3, 3: 0'],
    ['a{2,}b', '1, 0: 0 2, 1: 0, 2:'],
    ['a{1,3}b', '2, 0: 3, 1: 0 3, 2: 1 3, 3:'],
    ['a{0,2}b', '1 2, 0: 2, 1: 0 2, 2:'],
  ])('of %j', (pattern, expected) => {
    expect(movesOf(pattern)).toBe(expected);
  });

  it.each([
    ['(ab|cd)(ef|gh)', 8],
    ['(ab|cd)*', 6],
    ['(ab){3}', 5],
    ['a{1,3}', 2],
  ])('of %j has as many moves as are allowed, and no more', (pattern, moves) => {
    expect(movesOf(pattern, moves)).toBeDefined();
    expect(movesOf(pattern, moves - 1)).toBeUndefined();
  });

  it('has no more positions than moves are allowed after the first', () => {
    const four = alternatives(
      ['a', 'b', 'c', 'd'].map((letter) => character(singleton(letter.charCodeAt(0)))),
    );
    expect(positionAutomaton(four, 3)?.first).toEqual([0, 1, 2, 3]);
    expect(positionAutomaton(four, 2)).toBeUndefined();
  });
});

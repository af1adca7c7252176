import { RE2JS } from 're2js';
import { caseVariants } from '../case-folding.js';

/** Code points from `first` to `last`, both included. */
export type Range = readonly [first: number, last: number];

/**
 * An instruction of the automaton into which re2js compiles a pattern. One that reads a character lists which in
 * `runes`: a single one, or the bounds of ranges. The others read nothing and go on to `out`, an alternative also to
 * `arg`, an assertion only where it holds. The first instruction of a program is the failure.
 */
export interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: Int32Array;
}

/** The `op` of an alternative and of an assertion; re2js exports no names for them. */
export const ALTERNATIVE = 1;
export const ASSERTION = 4;

export interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: number;
  /** The segments of Unicode between the bounds of all ranges, in order: their number, and the one of a code point. */
  readonly segments: number;
  readonly segmentOf: (codePoint: number) => number;
}

/** @throws RE2JSException for a pattern that is not in RE2 syntax. */
export function compileProgram(pattern: string): Program {
  const compiled = RE2JS.compile(pattern).re2();
  const { inst, start } = compiled.prog as { inst: readonly Instruction[]; start: number };
  const { dfa } = compiled;
  return {
    instructions: inst,
    start,
    segments: dfa.numClasses,
    segmentOf: (codePoint) => dfa.runeClass(codePoint),
  };
}

/** The characters that an instruction reads, in order. */
export function rangesOf({ runes, arg }: Instruction): readonly Range[] {
  const [first = 0] = runes;
  // A single character; a non-zero `arg` ignores case.
  if (runes.length === 1) return arg === 0 ? [[first, first]] : caseRanges(String.fromCodePoint(first));
  const ranges: Range[] = [];
  for (let at = 0; at < runes.length; at += 2) ranges.push([runes[at] ?? 0, runes[at + 1] ?? 0]);
  return ranges;
}

/** A character with all its case variants. */
export function caseRanges(character: string): readonly Range[] {
  const ranges: [first: number, last: number][] = [];
  for (const variant of caseVariants(character)) {
    const codePoint = variant.codePointAt(0) ?? 0;
    const previous = ranges.at(-1);
    if (previous?.[1] === codePoint - 1) previous[1] = codePoint;
    else ranges.push([codePoint, codePoint]);
  }
  return ranges;
}

import type { Candidate } from '../candidates.js';
import { placeOf, sentencesFor, type Asked } from './property.js';
import { numbersIn } from './typed-values.js';
import { converted, unitAfter, unitAsked } from './units.js';

type Schema = Readonly<Record<string, unknown>>;

/** The number that the passages give for what is asked, in the unit that is asked for; null when there is none. */
export function findNumber(asked: Asked, schema: Schema, candidates: readonly Candidate[]): number | null {
  for (const { candidate } of sentencesFor(asked, candidates)) {
    const { text } = candidate.sentence;
    const mark = /^\s*\(?\d{1,3}[.)]\s+/.exec(text)?.[0].length ?? 0;
    const place = placeOf(asked, text);
    const found = numbersIn(text)
      .filter(({ at }) => at >= mark)
      .flatMap(({ value, at }) => {
        const inUnit = inAskedUnit(value, at, text, asked);
        return inUnit !== null && fits(inUnit, schema)
          ? [{ value: inUnit, distance: distance(at, place) }]
          : [];
      })
      .sort((a, b) => a.distance - b.distance);
    const [nearest] = found;
    if (nearest !== undefined) return nearest.value;
  }
  return null;
}

/** Every number of the best sentence. */
export function findNumbers(asked: Asked, schema: Schema, candidates: readonly Candidate[]): number[] {
  for (const { candidate } of sentencesFor(asked, candidates)) {
    const values = numbersIn(candidate.sentence.text)
      .map(({ value }) => value)
      .filter((value) => fits(value, schema));
    if (values.length > 0) return values;
  }
  return [];
}

function inAskedUnit(value: number, at: number, sentence: string, asked: Asked): number | null {
  const wanted = unitAsked(asked.words);
  if (wanted === null) return value;
  const given = unitAfter(sentence, at);
  return given === null ? null : converted(value, given, wanted);
}

/** A value mostly follows its name: one before it counts as farther away. */
function distance(at: number, place: number): number {
  return at >= place ? at - place : 2 * (place - at);
}

function fits(value: number, schema: Schema): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (schema['type'] === 'integer' && !Number.isInteger(value)) return false;
  if (typeof minimum === 'number' && value < minimum) return false;
  if (typeof maximum === 'number' && value > maximum) return false;
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return false;
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) return false;
  return typeof multipleOf !== 'number' || Number.isInteger(value / multipleOf);
}

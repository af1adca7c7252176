import { placeOf, type KnownSource } from '../ask/source-list.js';

/** A passage as `/retrieve/chunks` answers it. */
export interface Passage extends KnownSource {
  readonly content: string;
  readonly score: number;
}

/** For a person: a line with score and place for each passage, and its text below. */
export function passageList(passages: readonly Passage[]): string {
  return passages
    .map((passage, index) => {
      const text = passage.content.trim().replaceAll(/^(?=.)/gm, '   ');
      return `${index + 1}. ${passage.score.toFixed(3)}  ${placeOf(passage)}\n${text}`;
    })
    .join('\n\n');
}

export { Answer, type AnswerProps } from './answer.js';
export { citedSource, partsOf, type AnswerPart } from './answer-parts.js';
export { Sources, type SourcesProps } from './sources.js';
export { useAnswer, type AnswerRequest, type AnswerState, type Asking } from './use-answer.js';
export { ENGLISH, inWords, type Words } from './words.js';
export type { Citation, Source } from './types.js';

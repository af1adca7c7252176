import type { Type } from './input.pipe.js';

/** Valid request bodies by title. */
export type BodyExamples = Readonly<Record<string, object>>;

const examples = new Map<Type, BodyExamples>();

/** Attaches examples to a body class; Swagger UI sends them unchanged. */
export function Examples(bodies: BodyExamples): (type: Type) => void {
  return (type) => {
    examples.set(type, bodies);
  };
}

export function allExamples(): ReadonlyMap<Type, BodyExamples> {
  return examples;
}

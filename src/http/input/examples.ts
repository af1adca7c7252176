import type { Type } from './input.pipe.js';

/** Bodies that work as they stand, by what they show. */
export type BodyExamples = Readonly<Record<string, object>>;

const examples = new Map<Type, BodyExamples>();

/** Examples of a body class for the OpenAPI document; Swagger UI sends them as they are. */
export function Examples(bodies: BodyExamples): (type: Type) => void {
  return (type) => {
    examples.set(type, bodies);
  };
}

export function allExamples(): ReadonlyMap<Type, BodyExamples> {
  return examples;
}

import type { OpenAPIObject } from '@nestjs/swagger';
import { allExamples } from './input/examples.js';

/** Puts the examples of body classes at the bodies of the operations that take them. */
export function addExamples(document: OpenAPIObject): void {
  for (const path of Object.values(document.paths)) {
    for (const operation of [path.get, path.post, path.put, path.patch, path.delete]) {
      const body = operation?.requestBody;
      if (body === undefined || '$ref' in body) continue;
      for (const media of Object.values(body.content)) {
        const bodies = examplesOf(media.schema);
        if (bodies !== undefined) media.examples = bodies;
      }
    }
  }
}

function examplesOf(
  schema: object | undefined,
): Record<string, { summary: string; value: object }> | undefined {
  if (schema === undefined || !('$ref' in schema)) return undefined;
  for (const [type, bodies] of allExamples()) {
    if (schema.$ref !== `#/components/schemas/${type.name}`) continue;
    return Object.fromEntries(
      Object.entries(bodies).map(([summary, value]) => [summary, { summary, value }]),
    );
  }
  return undefined;
}

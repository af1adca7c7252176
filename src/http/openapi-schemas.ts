import type { OpenAPIObject } from '@nestjs/swagger';
import { closedTypes } from './input/read-input.js';

interface Schema {
  nullable?: boolean;
  additionalProperties?: unknown;
  readonly allOf?: readonly { readonly $ref?: string }[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** What the schemas of classes have to say beyond what their decorators can. */
export function completeSchemas(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  for (const { name } of closedTypes()) {
    const schema = schemas[name];
    if (schema !== undefined) schema.additionalProperties = false;
  }
  for (const { properties = {} } of Object.values(schemas)) {
    for (const { nullable, allOf = [] } of Object.values(properties)) {
      if (nullable !== true) continue;
      // In OpenAPI 3.0 null has to be valid against every member of `allOf` as well.
      for (const { $ref } of allOf) {
        const schema = schemas[$ref?.split('/').at(-1) ?? ''];
        if (schema !== undefined) schema.nullable = true;
      }
    }
  }
}

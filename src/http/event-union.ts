import type { Type } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';

/** Describes the events of a stream as a union, which `type` tells apart. @param models the class of each type */
export function eventUnion(models: Readonly<Record<string, Type>>) {
  const paths = Object.entries(models).map(([type, model]) => [type, getSchemaPath(model)] as const);
  return {
    oneOf: [...new Set(paths.map(([, path]) => path))].map(($ref) => ({ $ref })),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(paths) },
  };
}

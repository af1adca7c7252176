import { ApiBody, type ApiPropertyOptions } from '@nestjs/swagger';
import { descriptionOf } from './input/fields.js';
import type { Type } from './input/read-input.js';

interface FormFiles {
  readonly name: string;
  readonly description: string;
  /** Whether the name may be repeated. */
  readonly several?: boolean;
}

/**
 * The multipart body of a route in the OpenAPI document: its files, and the members of the class that reads the rest. A
 * form knows text only, so objects and lists are JSON in strings.
 */
export function FormBody({ name, description, several = false }: FormFiles, fields: Type): MethodDecorator {
  const file = { type: 'string', format: 'binary' };
  const files = several ? { type: 'array', minItems: 1, items: file, description } : { ...file, description };
  const members = Object.keys(new fields()).map((member) => [member, inForm(descriptionOf(fields, member))]);
  return ApiBody({
    schema: {
      type: 'object',
      required: [name],
      properties: { [name]: files, ...(Object.fromEntries(members) as object) },
    },
  });
}

/** Swagger UI sends what stands in a form, whatever file is chosen: nothing stands there, and an empty value is none. */
function inForm(property: ApiPropertyOptions): object {
  const { type, description = '', ...rest } = property as Readonly<Record<string, unknown>>;
  if (type === 'array' || type === 'object') {
    return { type: 'string', description: `${String(description)} As JSON.`, example: '' };
  }
  const kept = Object.entries(rest).filter(([name]) => name === 'enum' || name === 'default');
  return {
    type,
    ...Object.fromEntries(kept),
    description,
    ...('enum' in rest ? {} : { example: '' }),
  };
}

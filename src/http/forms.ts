import { ApiBody, type ApiPropertyOptions } from '@nestjs/swagger';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BadRequest } from '../errors/index.js';
import { descriptionOf, schemaOf } from './input/fields.js';
import type { Type } from './input/input.pipe.js';

export const URL_ENCODED = 'application/x-www-form-urlencoded';

/** Limits of forms without files. They are low because some of these routes are public. */
const LIMITS = { fields: 50, parts: 50, files: 0, fieldSize: 16 * 1_024 };

/**
 * Parses `application/x-www-form-urlencoded` bodies for routes that declare a form. If a name is repeated, the last
 * value counts.
 */
export function registerForms(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(URL_ENCODED, { parseAs: 'string' }, (_request, body, done) => {
    done(null, Object.fromEntries(new URLSearchParams(body as string)));
  });
}

/**
 * Reads the fields of a form without files, whether it is URL-encoded or multipart. Drops empty values.
 *
 * @throws BadRequest if the form is malformed, has too many fields, or has a field that is too long.
 */
export async function readForm(request: FastifyRequest): Promise<Readonly<Record<string, string>>> {
  const members = request.isMultipart() ? await multipartMembers(request) : (request.body ?? {});
  return Object.fromEntries(
    Object.entries(members as Record<string, string>).filter(([, text]) => text !== ''),
  );
}

async function multipartMembers(request: FastifyRequest): Promise<Record<string, string>> {
  const members: [string, string][] = [];
  try {
    for await (const part of request.parts({ limits: LIMITS })) {
      if (part.type === 'field' && typeof part.value === 'string') members.push([part.fieldname, part.value]);
    }
  } catch (error) {
    throw new BadRequest('The form is malformed, contains a file, or is too long', undefined, {
      cause: error,
    });
  }
  return Object.fromEntries(members);
}

/**
 * Describes a form without files in the OpenAPI document, from the class that reads the form. Swagger UI shows the
 * fields of the form empty, and the service drops empty values.
 */
export function FormFields(fields: Type): MethodDecorator {
  const { properties = {}, ...object } = schemaOf(fields);
  const empty: typeof properties = {};
  for (const [name, schema] of Object.entries(properties)) empty[name] = { ...schema, example: '' };
  return ApiBody({ schema: { ...object, properties: empty } });
}

interface FormFiles {
  readonly name: string;
  readonly description: string;
  readonly several?: boolean;
}

/**
 * Describes a multipart body in the OpenAPI document: its files, and the fields of the class that reads the form. Form
 * fields are text, so objects and lists are described as JSON strings.
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

/**
 * Returns the schema of a field with an empty example, because Swagger UI would otherwise send a generated example. The
 * service drops empty values.
 */
function inForm(property: ApiPropertyOptions): object {
  const { type, description = '', ...rest } = property as Readonly<Record<string, unknown>>;
  if (type === 'array' || type === 'object') {
    return { type: 'string', description: `${String(description)} As JSON.`, example: '' };
  }
  // Removes null from the allowed values, because a form field cannot be null.
  const withoutNull = (value: unknown): unknown =>
    Array.isArray(value) ? (value as unknown[]).filter((one) => one !== null) : value;
  const kept = Object.entries(rest)
    .filter(([name]) => name === 'enum' || name === 'default')
    .map(([name, value]) => [name, withoutNull(value)] as const);
  return {
    type,
    ...Object.fromEntries(kept),
    description,
    // Without an empty example, Swagger UI would select the first value of an enum that has no default.
    ...('enum' in rest && (kept.some(([name]) => name === 'default') || rest['required'] === true)
      ? {}
      : { example: '' }),
  };
}

import { ApiBody, type ApiPropertyOptions } from '@nestjs/swagger';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BadRequest } from '../errors/index.js';
import { descriptionOf, schemaOf } from './input/fields.js';
import type { Type } from './input/input.pipe.js';

export const URL_ENCODED = 'application/x-www-form-urlencoded';

/** Of a form without files: nobody needs more, and some of these routes are open to everybody. */
const LIMITS = { fields: 50, parts: 50, files: 0, fieldSize: 16 * 1_024 };

/** Bodies of `application/x-www-form-urlencoded`, for the routes that take a form; a repeated name counts once, the last. */
export function registerForms(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(URL_ENCODED, { parseAs: 'string' }, (_request, body, done) => {
    done(null, Object.fromEntries(new URLSearchParams(body as string)));
  });
}

/**
 * The members of a form without files, in either encoding. An empty value is no value.
 * @throws BadRequest when it is malformed, or has too many members or too long ones.
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
    throw new BadRequest('The form is malformed, has a file, or is too long', undefined, { cause: error });
  }
  return Object.fromEntries(members);
}

/**
 * The members of a form in the OpenAPI document: those of the class that reads them. Nothing stands in the form of
 * Swagger UI: an empty value is none.
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
  // A form has no null.
  const withoutNull = (value: unknown): unknown =>
    Array.isArray(value) ? (value as unknown[]).filter((one) => one !== null) : value;
  const kept = Object.entries(rest)
    .filter(([name]) => name === 'enum' || name === 'default')
    .map(([name, value]) => [name, withoutNull(value)] as const);
  return {
    type,
    ...Object.fromEntries(kept),
    description,
    ...('enum' in rest ? {} : { example: '' }),
  };
}

import { applyDecorators, HttpCode } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import {
  ApiBearerAuth,
  ApiConsumes,
  ApiExtension,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiSecurity,
  getSchemaPath,
  type OpenAPIObject,
} from '@nestjs/swagger';
import { type Access, ADMIN_OR_LOOPBACK, RequiredAccess } from '../auth/auth.guard.js';
import { URL_ENCODED } from './forms.js';
import { ErrorDto } from './error.dto.js';

/** What the hooks of the frame know about a route. */
export interface RouteRules {
  readonly access: Access;
  /** Takes `multipart/form-data` instead of JSON. */
  readonly multipart: boolean;
  /** Takes a form without files, in either encoding, instead of JSON. */
  readonly form: boolean;
  /** The body carries a document, or an image as a question: it may have MAX_BODY_MB instead of MAX_QUERY_BODY_MB. */
  readonly carriesDocument: boolean;
}

export interface RouteOptions {
  readonly permission: Access;
  readonly summary: string;
  readonly description?: string;
  /** Of a success; 200 unless said otherwise. */
  readonly status?: number;
  readonly multipart?: boolean;
  readonly form?: boolean;
  readonly carriesDocument?: boolean;
  /**
   * Errors of this route alone, with the sentence that each says here. Those of every route (500, 503, 504), of keys (401,
   * 403, 429) and of inputs (openapi-errors.ts) need not be named.
   */
  readonly errors?: Readonly<Record<number, string>>;
}

const SENTENCES: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  401: 'No API key, or one that is malformed, expired or revoked.',
  403: 'The key lacks the permission.',
  404: 'Not found, or owned by another tenant.',
  408: 'The body came too slowly.',
  409: 'In conflict with the present state.',
  413: 'The body is too large.',
  416: 'The range is not one part of the file.',
  415: 'The content type, encoding or character set is not supported.',
  429: 'Too many requests, or the model provider says so; see Retry-After.',
  500: 'An error of the service; logged under the request id.',
  502: 'A model provider failed.',
  503: 'Something that the service depends on is down; see Retry-After.',
  504: 'A deadline passed; see Retry-After.',
};

/** What a client reads in the common ones. */
const DETAILS: Readonly<Record<number, string>> = {
  400: 'The request is malformed',
  401: 'No API key: send it as "Authorization: Bearer <API_KEY>"',
  408: 'The request body came too slowly',
  413: 'The request body is too large',
  415: 'The body has to be application/json',
  429: 'More than 600 requests in a minute with this key',
  500: 'Internal server error (request id 0f8fad5b-d9cb-469f-a165-70867728950e)',
  503: 'The database is not reachable',
  504: 'The database took too long for a statement',
};

/** A form is another type than the usual one, and may break off. */
const FORM_DETAILS: Readonly<Record<number, string>> = {
  400: 'The form is malformed, or ends before its last part',
  415: 'The body has to be multipart/form-data',
};

function scopesIn(access: Access): string {
  if (access === ADMIN_OR_LOOPBACK) return '`admin`, or none from the machine itself';
  return [access]
    .flat()
    .map((scope) => `\`${scope}\``)
    .join(' or ');
}

function quoted(access: Access): string {
  return (access === ADMIN_OR_LOOPBACK ? ['admin'] : [access].flat())
    .map((scope) => `"${scope}"`)
    .join(' or ');
}

/**
 * Every route carries this one decorator: the permission that the `AuthGuard` enforces, and the same permission, the
 * security scheme and the common errors in the OpenAPI document. A route without it stops the start.
 *
 * @example
 * ```ts
 * \@Post('retrieve/chunks')
 * \@Route({ permission: 'read', summary: 'Retrieve chunks' })
 * chunks(\@CurrentScope() scope: Scope, \@Body() body: RetrieveDto) { ... }
 * ```
 */
export function Route(options: RouteOptions): MethodDecorator {
  const { permission, summary, description, status = 200, errors = {} } = options;
  const { multipart = false, form = false, carriesDocument = false } = options;
  const isOpen = permission === 'open';
  const statuses = [
    ...(isOpen ? [] : [401, 403, 429]),
    ...(multipart ? [400] : []),
    ...Object.keys(errors).map(Number),
    500,
    503,
    504,
  ];
  const details: Readonly<Record<number, string | undefined>> = {
    ...(permission === 'open' ? {} : { 403: `The API key lacks the scope ${quoted(permission)}` }),
    ...(multipart || form ? FORM_DETAILS : {}),
    ...errors,
  };
  return applyDecorators(
    ApiExtraModels(ErrorDto),
    RequiredAccess(permission),
    RouteConfig({ access: permission, multipart, form, carriesDocument } satisfies RouteRules),
    HttpCode(status),
    ApiOperation({
      summary,
      ...(isOpen ? { security: [] } : {}),
      description: [description, isOpen ? undefined : `Needs a key with the scope ${scopesIn(permission)}.`]
        .filter((part) => part !== undefined)
        .join('\n\n'),
    }),
    ...(isOpen
      ? []
      : [
          ApiBearerAuth(),
          ApiExtension('x-scopes', permission === ADMIN_OR_LOOPBACK ? ['admin'] : [permission].flat()),
        ]),
    ...(permission === ADMIN_OR_LOOPBACK ? [ApiSecurity({})] : []), // or no key
    ...(multipart ? [ApiConsumes('multipart/form-data')] : []),
    ...(form ? [ApiConsumes(URL_ENCODED, 'multipart/form-data')] : []),
    ...[...new Set(statuses)]
      .sort((a, b) => a - b)
      .map((code) => ApiResponse({ status: code, ...(errorResponse(code, details[code]) as object) })),
  );
}

type Responses = NonNullable<OpenAPIObject['paths'][string]['post']>['responses'];

/** What every route that takes a body may answer beside its own errors. */
export function errorResponse(
  status: number,
  detail = DETAILS[status] ?? 'The request was refused',
): Responses[string] {
  return {
    description: SENTENCES[status] ?? 'An error.',
    content: { 'application/json': { schema: { $ref: getSchemaPath(ErrorDto) }, example: { detail } } },
  };
}

/** One event: the fields that it has on the wire. */
const EVENT = {
  type: 'object',
  required: ['id', 'data'],
  properties: {
    id: { type: 'string', description: 'Counts from 0.', pattern: '^[0-9]+$' },
    data: { type: 'string', description: 'JSON in one line.' },
  },
};

type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

/** The success of a route that answers with an object, or with server-sent events when the request asks for them. */
export function ApiAnswerOrEvents(answer: Schema, description: string): MethodDecorator {
  return ApiOkResponse({
    description,
    content: {
      'application/json': { schema: answer },
      'text/event-stream': { schema: EVENT },
    },
  });
}

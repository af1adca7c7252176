import { applyDecorators, HttpCode } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import {
  ApiBearerAuth,
  ApiExtension,
  ApiConsumes,
  ApiOperation,
  ApiResponse,
  ApiSecurity,
  getSchemaPath,
  type OpenAPIObject,
} from '@nestjs/swagger';
import { ADMIN_OR_LOOPBACK, RequiredAccess, type Access } from '../auth/auth.guard.js';
import { URL_ENCODED } from './form.js';
import { ErrorDto, ValidationErrorDto } from './error.dto.js';

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
  /** Error statuses that this route can answer beyond 500, 503 and 504, and beyond 401, 403, 422 and 429 when it needs a key. */
  readonly errors?: readonly number[];
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

function scopesIn(access: Access): string {
  if (access === ADMIN_OR_LOOPBACK) return '`admin`, or none from the machine itself';
  return [access]
    .flat()
    .map((scope) => `\`${scope}\``)
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
  const { permission, summary, description, status = 200, errors = [] } = options;
  const { multipart = false, form = false, carriesDocument = false } = options;
  const isOpen = permission === 'open';
  const statuses = [
    ...(isOpen ? [] : [401, 403, 422, 429]),
    ...(multipart ? [400] : []),
    ...errors,
    500,
    503,
    504,
  ];
  return applyDecorators(
    RequiredAccess(permission),
    RouteConfig({ access: permission, multipart, form, carriesDocument } satisfies RouteRules),
    HttpCode(status),
    ApiOperation({
      summary,
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
      .map((code) =>
        code === 422
          ? ApiResponse({ status: code, type: ValidationErrorDto })
          : ApiResponse({ status: code, description: SENTENCES[code] ?? 'An error.', type: ErrorDto }),
      ),
  );
}

type Responses = NonNullable<OpenAPIObject['paths'][string]['post']>['responses'];

/** What every route that takes a body may answer beside its own errors. */
export function errorResponse(status: number): Responses[string] {
  return {
    description: SENTENCES[status] ?? 'An error.',
    content: { 'application/json': { schema: { $ref: getSchemaPath(ErrorDto) } } },
  };
}

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
import { type Access, ADMIN_OR_LOOPBACK, ForTokenUses, RequiredAccess } from '../auth/auth.guard.js';
import type { TokenUse } from '../auth/token-policy.js';
import type { AuditRule } from './audit.types.js';
import { URL_ENCODED } from './forms.js';
import { ErrorDto } from './error.dto.js';
import { printedEvents } from './event-text.js';

/** Tells in the OpenAPI document what an Idempotency-Key does. */
export const IDEMPOTENCY_EXTENSION = 'x-idempotency-key';

/** Rules of a route. The HTTP hooks apply them. */
export interface RouteRules {
  readonly access: Access;
  readonly tokenUses: readonly TokenUse[];
  /** Whether the route accepts `multipart/form-data` instead of JSON. */
  readonly multipart: boolean;
  /** Whether the route accepts a form without files, URL-encoded or multipart, instead of JSON. */
  readonly form: boolean;
  /**
   * Whether the body contains a document or a query image. Its limit is then MAX_BODY_MB instead of MAX_QUERY_BODY_MB.
   */
  readonly carriesDocument: boolean;
  /** See {@link RouteOptions}. */
  readonly assignsEndUser: boolean;
  /** See {@link RouteOptions}. */
  readonly calls: RouteOptions['calls'];
  /** See {@link RouteOptions}. */
  readonly isData: (body: Readonly<Record<string, unknown>>) => boolean;
  /** See {@link RouteOptions}. */
  readonly idempotency: IdempotencyUse;
  /** How requests are recorded in the audit log; undefined if they are not recorded. */
  readonly audit: AuditRule | undefined;
}

/**
 * What an Idempotency-Key does. `kept`: the answer is kept and repeated. `own`: the route keeps its answer itself, in the
 * transaction of the change. `secret`: the answer has a secret, so that a key is refused. `none`: a key is ignored.
 */
export type IdempotencyUse = 'kept' | 'own' | 'secret' | 'none';

export interface RouteOptions {
  readonly permission: Access;
  /**
   * Scopes of the browser tokens that the route accepts; one of them suffices. Default: none. The service must not use
   * documents outside `scope.token`.
   */
  readonly token?: TokenUse | readonly TokenUse[];
  readonly summary: string;
  readonly description?: string;
  /** Id of the operation in the OpenAPI document. It never changes: generated clients name their functions after it. */
  readonly operationId: string;
  /** Success status; 200 by default. */
  readonly status?: number;
  readonly multipart?: boolean;
  readonly form?: boolean;
  readonly carriesDocument?: boolean;
  /**
   * Whether `end_user_id` in the body names the owner of the object that the request creates or changes. An
   * administrator may then name any end user.
   */
  readonly assignsEndUser?: boolean;
  /** Whether the members of a body are data of the caller, so that none of them names for whom the request acts. */
  readonly isData?: RouteRules['isData'];
  readonly audit?: AuditRule;
  /** Default: `kept`, unless the route is open or only needs `read`. GET requests have no use for it. */
  readonly idempotency?: IdempotencyUse;
  /**
   * Number of calls that a JSON body carries, which count against the rate limit: one for each thing that another route
   * would do in a request of its own. Default: 1.
   */
  readonly calls?: ((body: Readonly<Record<string, unknown>>) => number) | undefined;
  /** Requests that the service sends later because of this one. */
  readonly callbacks?: NonNullable<Operation['callbacks']>;
  /**
   * Errors specific to this route, with their example messages. Other errors are added automatically: common errors
   * (500, 503, 504), errors of keys (401, 403, 429) and errors of inputs (openapi-errors.ts).
   */
  readonly errors?: Readonly<Record<number, string>>;
}

const SENTENCES: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  401: 'The API key is missing, malformed, expired or revoked.',
  403: 'The key lacks the permission.',
  404: 'Not found in this tenant.',
  408: 'The body arrived too slowly.',
  409: 'Conflicts with the current state.',
  410: 'It is no longer kept.',
  413: 'The body is too large.',
  416: 'The range is not satisfiable: it must be a single range within the file.',
  415: 'The content type, encoding or character set is not supported.',
  429: 'Too many requests, here or at the model provider; see Retry-After.',
  500: 'Internal error, logged under the request id.',
  502: 'A model provider failed.',
  503: 'A dependency is unavailable; see Retry-After.',
  504: 'A deadline was exceeded; see Retry-After.',
};

/** Example messages of the common errors. */
const DETAILS: Readonly<Record<number, string>> = {
  400: 'The request is malformed',
  401: 'No API key: send it as "Authorization: Bearer <API_KEY>"',
  408: 'The request body arrived too slowly',
  413: 'The request body is too large',
  415: 'The body must be application/json',
  429: 'More than 600 requests in a minute with this key',
  500: 'Internal server error (request id 0f8fad5b-d9cb-469f-a165-70867728950e)',
  503: 'The database is not reachable',
  504: 'The database took too long for a statement',
};

/** Example messages of routes that take a form instead of JSON. */
const FORM_DETAILS: Readonly<Record<number, string>> = {
  400: 'The form is malformed or incomplete',
  415: 'The body must be multipart/form-data',
};

function permissionsIn(access: Access): string {
  if (access === ADMIN_OR_LOOPBACK) return '`admin`, or none from the local machine';
  return [access]
    .flat()
    .map((name) => `\`${name}\``)
    .join(' or ');
}

function quoted(access: Access): string {
  return (access === ADMIN_OR_LOOPBACK ? ['admin'] : [access].flat()).map((name) => `"${name}"`).join(' or ');
}

/**
 * Mandatory decorator of every route. It sets the permission that `AuthGuard` enforces, and describes the permission,
 * security scheme and common errors in the OpenAPI document. The service refuses to start if a route lacks this
 * decorator.
 *
 * @example
 * ```ts
 * \@Post('retrieve/chunks')
 * \@Route({ operationId: 'retrieveChunks', permission: 'read', summary: 'Retrieve chunks' }) chunks(\@CurrentScope() scope: Scope, \@Body() body:
 * RetrieveDto) { ... }
 * ```
 */
export function Route(options: RouteOptions): MethodDecorator {
  const { permission, summary, description, operationId, status = 200, errors = {} } = options;
  const { multipart = false, form = false, carriesDocument = false, token = [] } = options;
  const tokenUses = [token].flat();
  const { assignsEndUser = false, isData = () => false, audit, calls, callbacks } = options;
  const isOpen = permission === 'open';
  const { idempotency = isOpen || permission === 'read' ? 'none' : 'kept' } = options;
  const statuses = [
    ...(isOpen ? [] : [401, 403, 429]),
    ...(multipart ? [400] : []),
    ...Object.keys(errors).map(Number),
    500,
    503,
    504,
  ];
  const details: Readonly<Record<number, string | undefined>> = {
    ...(permission === 'open' ? {} : { 403: `The API key lacks the permission ${quoted(permission)}` }),
    ...(multipart || form ? FORM_DETAILS : {}),
    ...errors,
  };
  return applyDecorators(
    ApiExtraModels(ErrorDto),
    RequiredAccess(permission),
    ForTokenUses(tokenUses),
    RouteConfig({
      access: permission,
      tokenUses,
      multipart,
      form,
      carriesDocument,
      assignsEndUser,
      calls,
      isData,
      idempotency,
      audit,
    } satisfies RouteRules),
    HttpCode(status),
    ApiOperation({
      summary,
      operationId,
      ...(callbacks && { callbacks }),
      ...(isOpen ? { security: [] } : {}),
      description: [
        description,
        isOpen ? undefined : `Needs a key with the permission ${permissionsIn(permission)}.`,
        tokenUses.length === 0
          ? undefined
          : `Accepts browser tokens with the scope ${tokenUses.map((use) => `\`${use}\``).join(' or ')}.`,
      ]
        .filter((part) => part !== undefined)
        .join('\n\n'),
    }),
    ...(isOpen
      ? []
      : [
          ApiBearerAuth(),
          ApiExtension('x-scopes', permission === ADMIN_OR_LOOPBACK ? ['admin'] : [permission].flat()),
        ]),
    ...(tokenUses.length === 0 ? [] : [ApiExtension('x-token-scopes', tokenUses)]),
    ...(idempotency === 'none' ? [] : [ApiExtension(IDEMPOTENCY_EXTENSION, idempotency)]),
    ...(audit === undefined ? [] : [ApiExtension('x-audit', audit.action)]),
    ...(permission === ADMIN_OR_LOOPBACK ? [ApiSecurity({})] : []), // requests from this machine need no key
    ...(multipart ? [ApiConsumes('multipart/form-data')] : []),
    ...(form ? [ApiConsumes(URL_ENCODED, 'multipart/form-data')] : []),
    ...[...new Set(statuses)]
      .sort((a, b) => a - b)
      .map((code) => ApiResponse({ status: code, ...(errorResponse(code, details[code]) as object) })),
  );
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['post']>;

type Responses = Operation['responses'];

export function errorResponse(
  status: number,
  detail = DETAILS[status] ?? 'The request was refused',
): Responses[string] {
  return {
    description: SENTENCES[status] ?? 'Error.',
    content: { 'application/json': { schema: { $ref: getSchemaPath(ErrorDto) }, example: { detail } } },
  };
}

/** Schema of an SSE event on the wire. */
const EVENT = {
  type: 'object',
  required: ['id', 'data'],
  properties: {
    id: { type: 'string', description: 'Counts from 0.', pattern: '^[0-9]+$' },
    data: { type: 'string', description: 'JSON on one line.' },
  },
};

type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

/**
 * Describes a success response that is an object or, if the request asks for a stream, server-sent events.
 *
 * @param events an example of the stream
 * @param event schema of the JSON in the `data:` of an event
 */
export function ApiAnswerOrEvents(
  answer: Schema,
  description: string,
  events: readonly object[],
  event: Schema = EVENT,
): MethodDecorator {
  return ApiOkResponse({
    description,
    content: {
      'application/json': { schema: answer },
      'text/event-stream': { schema: event, example: printedEvents(events) },
    },
  });
}

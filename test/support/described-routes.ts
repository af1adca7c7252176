import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Operation {
  readonly security?: readonly object[];
  readonly 'x-scopes'?: readonly string[];
  readonly 'x-token-scopes'?: readonly string[];
  readonly 'x-audit'?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}

/** A route as the OpenAPI document describes it. */
export interface DescribedRoute {
  readonly method: string;
  readonly path: string;
  /** The permissions, any of which is sufficient; null: the route needs no key. */
  readonly scopes: readonly string[] | null;
  /** The scopes of browser tokens, any of which is sufficient; empty: the route accepts no tokens. */
  readonly tokenScopes: readonly string[];
  /** The event that the audit log records of requests; null: none. */
  readonly audit: string | null;
  readonly pathParameters: readonly string[];
  /** Media types of the request body. */
  readonly takes: readonly string[];
}

/** Returns whether requests to the route, at least those from localhost, need no key. */
function isOpen({ security = [] }: Operation): boolean {
  return security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0);
}

export function describedRoutes(): DescribedRoute[] {
  const document = JSON.parse(readFileSync(join(__dirname, '../../openapi.json'), 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      scopes: isOpen(operation) ? null : (operation['x-scopes'] ?? []),
      tokenScopes: operation['x-token-scopes'] ?? [],
      audit: operation['x-audit'] ?? null,
      pathParameters: (operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => name),
      takes: Object.keys(operation.requestBody?.content ?? {}),
    })),
  );
}

import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './openapi-errors.js';
import { isProtocolPath } from './protocol-path.js';

type Response = NonNullable<NonNullable<OpenAPIObject['paths'][string]['get']>['responses'][string]>;

/**
 * Moves error responses that several operations have to `components/responses`, and refers to them. Repeated in full,
 * they were more than half of the document.
 */
export function shareResponses(document: OpenAPIObject): void {
  const places = operationsOf(document).flatMap(({ path, operation }) =>
    Object.entries(operation.responses).flatMap(([status, response]) =>
      Number(status) < 400 || response === undefined
        ? []
        : [{ path, status, response, printed: JSON.stringify(response), operation }],
    ),
  );
  const uses = new Map<string, number>();
  for (const { printed } of places) uses.set(printed, (uses.get(printed) ?? 0) + 1);
  const names = new Map<string, string>();
  const shared: Record<string, Response> = {};
  for (const { path, status, response, printed, operation } of places) {
    if ((uses.get(printed) ?? 0) < 2) continue;
    const name = names.get(printed) ?? unusedName(nameOf(path, status, printed), shared);
    names.set(printed, name);
    shared[name] = response;
    operation.responses[status] = { $ref: `#/components/responses/${name}` };
  }
  document.components = { ...document.components, responses: inOrder(shared) };
}

/** `ForbiddenQuery`, `OpenAiNotFound`: the protocol, the status, and the permission that the example names. */
function nameOf(path: string, status: string, printed: string): string {
  const [, permission = ''] = /lacks the permission \\{0,3}"(\w+)/.exec(printed) ?? [];
  const words = `${STATUS_CODES[status] ?? status} ${permission}`;
  const name = words.replaceAll(/[^A-Za-z]+(\w?)/g, (_, next: string) => next.toUpperCase());
  return (isProtocolPath(path) ? 'OpenAi' : '') + name;
}

function unusedName(name: string, taken: object): string {
  let unused = name;
  for (let at = 2; Object.hasOwn(taken, unused); at += 1) unused = `${name}${at}`;
  return unused;
}

function inOrder(responses: Readonly<Record<string, Response>>): Record<string, Response> {
  return Object.fromEntries(Object.entries(responses).sort(([a], [b]) => (a < b ? -1 : 1)));
}

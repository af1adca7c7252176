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
    const name = names.get(printed) ?? unusedName(nameOf(path, status, response), shared);
    names.set(printed, name);
    shared[name] = response;
    operation.responses[status] = { $ref: `#/components/responses/${name}` };
  }
  document.components = { ...document.components, responses: inOrder(shared) };
}

const FEW_WORDS = 6;

/**
 * Names a response by the location of its invalid member (`InvalidBodyQuery`), by the permission that it asks for
 * (`ForbiddenAdmin`), by its message (`DocumentNotFound`), or by its status; under `/v1` with `OpenAi` before it.
 */
function nameOf(path: string, status: string, response: Response): string {
  const detail = detailOf(response);
  const place = Array.isArray(detail)
    ? (detail as readonly { loc: readonly unknown[] }[])[0]?.loc
    : undefined;
  const text = typeof detail === 'string' ? detail : '';
  const phrase = STATUS_CODES[status] ?? status;
  const permission = /lacks the permission (.*)/.exec(text)?.[1];
  const isMessage = ['404', '409'].includes(status) && text.split(' ').length <= FEW_WORDS;
  const words =
    place === undefined
      ? permission === undefined
        ? isMessage
          ? text
          : phrase
        : `${phrase} ${permission}`
      : `invalid ${place.filter((step) => typeof step === 'string').join(' ')}`;
  return (isProtocolPath(path) ? 'OpenAi' : '') + pascalCase(words);
}

function pascalCase(words: string): string {
  return words
    .replaceAll(/\S*\d\S*/g, '') // ids in examples
    .split(/[^A-Za-z]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}

function detailOf(response: Response): unknown {
  if ('$ref' in response) return undefined;
  const example = response.content?.['application/json']?.example as
    { readonly detail?: unknown } | undefined;
  return example?.detail;
}

function unusedName(name: string, taken: object): string {
  let unused = name;
  for (let at = 2; Object.hasOwn(taken, unused); at += 1) unused = `${name}${at}`;
  return unused;
}

function inOrder(responses: Readonly<Record<string, Response>>): Record<string, Response> {
  return Object.fromEntries(Object.entries(responses).sort(([a], [b]) => (a < b ? -1 : 1)));
}

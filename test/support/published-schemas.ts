import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** openapi.json of github.com/openai/openai-openapi, which is not kept with the code. */
export const PUBLISHED_DOCUMENT = resolve(
  process.env['OPENAI_OPENAPI'] ?? '../shared/tools/openai-openapi.json',
);

type Json = Readonly<Record<string, unknown>>;

interface PublishedOperation {
  readonly responses?: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Json }>> }>
  >;
  readonly 'x-oaiMeta'?: { readonly examples?: OperationExample | readonly OperationExample[] };
}

interface OperationExample {
  readonly title?: string;
  /** The same request as a program, by programming language. */
  readonly request?: Readonly<Record<string, string>>;
}

interface PublishedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, PublishedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

/** OpenAPI keywords that ajv does not know, and `format`, for which OpenAI uses its own values. */
const ANNOTATIONS = ['discriminator', 'example', 'format', '$recursiveAnchor', '$recursiveRef'];

function jsonSchemaOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(jsonSchemaOf);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...members } = Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !ANNOTATIONS.includes(name) && !name.startsWith('x-'))
      .map(([name, member]) => [name, jsonSchemaOf(member)]),
  );
  return nullable === true ? { anyOf: [members, { type: 'null' }] } : members;
}

/** The schemas of OpenAI's published OpenAPI document. */
export class PublishedSchemas {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  private readonly document: PublishedDocument;

  /** @param path of openapi.json in github.com/openai/openai-openapi */
  constructor(path: string) {
    this.document = JSON.parse(readFileSync(path, 'utf8')) as PublishedDocument;
    const schemas = jsonSchemaOf(this.document.components.schemas);
    this.ajv.addSchema({ $id: 'openai', components: { schemas } });
  }

  /** Returns the response type of this operation, such as `Response`. */
  answerOf(method: string, path: string): string {
    const operation = this.document.paths[path]?.[method.toLowerCase()];
    const reference = operation?.responses?.['200']?.content?.['application/json']?.schema?.['$ref'];
    return String(reference).replace('#/components/schemas/', '');
  }

  /** Returns the type of the event with this `type`, such as `ResponseCreatedEvent`. */
  eventOf(type: string): string {
    const named = Object.entries(this.document.components.schemas).filter(
      ([name, { properties }]) => /^Response.*Event$/.test(name) && constantOf(properties) === type,
    );
    return named[0]?.[0] ?? `no event ${type}`;
  }

  /** Lists the differences between a value and its type. The list is empty if the value is valid. */
  differences(name: string, value: unknown): string[] {
    const validate = this.validator(name);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
    );
  }

  private validator(name: string): ValidateFunction {
    const validate = this.ajv.getSchema(`openai#/components/schemas/${name}`);
    if (validate === undefined) throw new Error(`No published type ${name}`);
    return validate;
  }
}

/** An example application of the published document. */
export interface PublishedExample {
  /** Method, path and title. */
  readonly name: string;
  readonly language: 'javascript' | 'python';
  readonly code: string;
}

/** The example applications of the operations whose method and path match. */
export function publishedExamples(operations: RegExp): PublishedExample[] {
  const { paths } = JSON.parse(readFileSync(PUBLISHED_DOCUMENT, 'utf8')) as PublishedDocument;
  return Object.entries(paths).flatMap(([path, operationsOfPath]) =>
    Object.entries(operationsOfPath)
      .filter(([method]) => operations.test(`${method} ${path}`))
      .flatMap(([method, operation]) =>
        [operation['x-oaiMeta']?.examples ?? []].flat().flatMap(({ title = '', request = {} }) =>
          (['javascript', 'python'] as const).flatMap((language) => {
            const code = request[language];
            return code === undefined ? [] : [{ name: `${method} ${path} ${title}`.trim(), language, code }];
          }),
        ),
      ),
  );
}

function constantOf(properties: unknown): unknown {
  const { type } = (properties ?? {}) as {
    readonly type?: { readonly const?: unknown; readonly enum?: unknown[] };
  };
  return type?.const ?? type?.enum?.[0];
}

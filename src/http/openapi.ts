import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { VERSION } from '../config/package-root.js';
import { ProtocolErrorDto, ValidationErrorDto } from './error.dto.js';
import { pageHeaders } from './playground.js';
import { requestSnippets } from './request-snippets.js';
import { completeErrors, operationsOf } from './openapi-errors.js';
import { shareResponses } from './openapi-responses.js';
import { closedTypes } from './input/input.pipe.js';
import { allExamples } from './input/examples.js';

const INTRODUCTION = `Lectern stores documents, finds passages in them and answers questions with sources.

**1. Get a key.** The first start writes an admin key to the file \`api-key\` in the data folder (\`cat data/api-key\`; in the
container \`docker compose exec lectern cat /data/api-key\`), unless \`ADMIN_KEY\` is set. Press Authorize and paste the key.
POST /keys creates more keys, with fewer permissions.

**2. Add documents.** POST /ingest/text and POST /ingest/file add one document each; \`lectern ingest FOLDER\` on the command
line adds a folder. The examples on this page ask about the three documents in \`demo/documents\` of Lectern's sources and
package.

**3. Ask.** Every form works without changes, except for ids. POST /documents lists document ids, and GET /keys key ids. For
folders, chats and applications, first send the example that creates them: POST /folders, the conversation of POST /query,
POST /cloud/generate_uri. Empty fields are not sent.

An error response has \`detail\`: a message, or with 422 a list of all errors. Every response has the header \`X-Request-Id\`.`;

/** Tags in the order in which a new user should read them. */
const TAGS = [
  ['completion', 'Answers to questions, generated from the documents with citations.'],
  ['retrieval', 'Search without an answer: passages with absolute scores.'],
  ['documents', 'Records, files, pages and summaries of documents; updates and deletion.'],
  ['metadata', 'Fields and values of the metadata of documents, for the choices of a filter.'],
  ['ingestion', 'Ingestion of texts and files.'],
  ['events', 'What happens to documents, as a stream of server-sent events.'],
  ['folders', 'A tree of folders; queries can be limited to a subtree.'],
  ['chats', 'Conversations: the stored turns of POST /query with a `chat_id`.'],
  [
    'models',
    'The available models, and the OpenAI protocol: any OpenAI client can ask questions about the documents.',
  ],
  [
    'vector stores',
    'Files, vector stores and searches of the OpenAI protocol. A folder is a vector store; a document is a file in it.',
  ],
  ['mcp', 'Model Context Protocol: gives an assistant tools to search, read and add documents.'],
  ['usage', 'Usage counts and the operation log.'],
  ['tenants', 'API keys, and the applications (tenants) that own documents.'],
  ['operations', 'Health, probes, and metrics for Prometheus.'],
] as const;

/** Creates the OpenAPI document of all routes from controllers and DTO classes. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
  const description = new DocumentBuilder()
    .setTitle('Lectern')
    .setDescription(INTRODUCTION)
    .setVersion(VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An API key.' })
    .addServer('/', 'This server')
    .build();
  description.tags = TAGS.map(([name, about]) => ({ name, description: about }));
  const document = SwaggerModule.createDocument(app, description, {
    extraModels: [ProtocolErrorDto, ValidationErrorDto],
  });
  completeErrors(document);
  completeSchemas(document);
  describeDocumentIds(document);
  addExamples(document);
  inReadingOrder(document);
  shareResponses(document);
  return document;
}

/** Describes the parameter `document_id`, which many routes declare as a plain string without a description. */
function describeDocumentIds(document: OpenAPIObject): void {
  for (const parameter of operationsOf(document).flatMap(({ operation }) => operation.parameters ?? [])) {
    if ('$ref' in parameter || parameter.name !== 'document_id') continue;
    parameter.description ??= 'Document id, as listed by POST /documents.';
  }
}

/**
 * Orders paths by tag, and within a tag as in the controllers, because tools show paths in the order of the document.
 */
function inReadingOrder(document: OpenAPIObject): void {
  const names = TAGS.map(([name]): string => name);
  const rank = ({ get, post, put, patch, delete: remove }: OpenAPIObject['paths'][string]): number => {
    const [operation] = [get, post, put, patch, remove].filter((one) => one !== undefined);
    return names.indexOf(operation?.tags?.[0] ?? '');
  };
  document.paths = Object.fromEntries(
    Object.entries(document.paths).sort(([, one], [, other]) => rank(one) - rank(other)),
  );
}

const DOCS_PATH = /^\/docs(?:[/?]|$)/;

/** Headers for the page of Swagger UI. They allow inline styles, which the page uses. */
const DOCS_HEADERS = pageHeaders("'self' 'unsafe-inline'");

/** Serves Swagger UI at `/docs` and the document at `/openapi.json`. */
export function serveDocumentation(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', ({ url }, reply, done) => {
    if (DOCS_PATH.test(url)) void reply.headers(DOCS_HEADERS);
    done();
  });
  SwaggerModule.setup('docs', app, () => createOpenApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Lectern',
    swaggerOptions: { persistAuthorization: true, ...requestSnippets },
  });
}

interface Schema {
  additionalProperties?: unknown;
  default?: unknown;
  description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/**
 * Adds constraints that decorators cannot express to schemas. Moves defaults of members into their descriptions, because
 * generators of types such as openapi-typescript demand a member with `default` from the caller.
 */
export function completeSchemas(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  for (const member of Object.values(schemas).flatMap(({ properties = {} }) => Object.values(properties))) {
    if (member.default === undefined) continue;
    member.description =
      `${member.description ?? ''} Default: ${JSON.stringify(member.default)}.`.trimStart();
    delete member.default;
  }
  for (const { name } of closedTypes()) {
    const schema = schemas[name];
    if (schema !== undefined) schema.additionalProperties = false;
  }
}

/** Adds the examples of body classes to the operations that use them. */
export function addExamples(document: OpenAPIObject): void {
  for (const { requestBody: body } of operationsOf(document).map(({ operation }) => operation)) {
    if (body === undefined || '$ref' in body) continue;
    for (const media of Object.values(body.content)) {
      const bodies = examplesOf(media.schema);
      if (bodies !== undefined) media.examples = bodies;
    }
  }
}

function examplesOf(
  schema: object | undefined,
): Record<string, { summary: string; value: object }> | undefined {
  if (schema === undefined || !('$ref' in schema)) return undefined;
  for (const [type, bodies] of allExamples()) {
    if (schema.$ref !== `#/components/schemas/${type.name}`) continue;
    return Object.fromEntries(
      Object.entries(bodies).map(([summary, value]) => [summary, { summary, value }]),
    );
  }
  return undefined;
}

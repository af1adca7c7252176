import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { VERSION } from '../config/package-root.js';
import { ProtocolErrorDto, ValidationErrorDto } from './error.dto.js';
import { pageHeaders } from './playground.js';
import { requestSnippets } from './request-snippets.js';
import { completeErrors, operationsOf } from './openapi-errors.js';
import { closedTypes } from './input/input.pipe.js';
import { allExamples } from './input/examples.js';

const INTRODUCTION = `Documents go in, passages and answers with their sources come out.

**First the key.** The service wrote an admin key into the file \`api-key\` of its data folder when it started for the first
time (\`cat data/api-key\`; in the container \`docker compose exec lectern cat /data/api-key\`), unless \`ADMIN_KEY\` gave it one.
Press Authorize and paste it. More keys, with fewer permissions: POST /keys.

**Then documents.** POST /ingest/file and POST /ingest/text below take one each; \`lectern ingest FOLDER\` on the command line
takes a folder. The examples on this page ask about three that are in \`demo/documents\` of Lectern's sources and package.

**Then ask.** Every form works as it stands, but for ids: POST /documents lists those of documents, GET /keys those of
keys. Those of folders, chats and applications are of the examples that make them: POST /folders, the conversation of POST
/query, POST /cloud/generate_uri. What you leave empty is not sent.

Errors carry \`detail\`: a sentence, or with 422 a list of all errors. Every response carries \`X-Request-Id\`.`;

/** In reading order for a new user. */
const TAGS = [
  ['completion', 'Answers to questions, generated from the documents with citations.'],
  ['retrieval', 'Search without an answer: passages with absolute scores.'],
  ['documents', 'Records, files, pages and summaries of documents; their updates and deletion.'],
  ['ingestion', 'Ingestion of texts and files.'],
  ['folders', 'A tree of folders; queries can be limited to a subtree.'],
  ['chats', 'Conversations: the stored turns of POST /query with a `chat_id`.'],
  ['models', 'The models that answer, and the protocol of OpenAI: any of its clients can ask the documents.'],
  [
    'vector stores',
    'Files, vector stores and searches in the form of the OpenAI protocol: a folder is a vector store, a document a file in it.',
  ],
  ['mcp', 'The documents as tools of an assistant: Model Context Protocol.'],
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
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
    extraModels: [ProtocolErrorDto, ValidationErrorDto],
  });
  completeErrors(document);
  completeSchemas(document);
  describeDocumentIds(document);
  addExamples(document);
  inReadingOrder(document);
  return document;
}

/** Many routes declare this parameter as a plain string without a description. */
function describeDocumentIds(document: OpenAPIObject): void {
  for (const parameter of operationsOf(document).flatMap(({ operation }) => operation.parameters ?? [])) {
    if ('$ref' in parameter || parameter.name !== 'document_id') continue;
    parameter.description ??= 'Document id, as listed by POST /documents.';
  }
}

/** Orders operations by tag, and within a tag as in the controllers: tools show them in document order. */
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

/** Swagger UI's page has inline styles. */
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
}

/** Adds to schemas what decorators cannot express. */
export function completeSchemas(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
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

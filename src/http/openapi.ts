import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { VERSION } from '../config/package-root.js';
import { addExamples } from './openapi-examples.js';
import { completeSchemas } from './openapi-schemas.js';
import { errorResponse } from './route.decorator.js';

/** The OpenAPI document of every route, made from controllers and DTO classes. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
  const description = new DocumentBuilder()
    .setTitle('Lectern')
    .setDescription(
      'Retrieval, completion and document updates. Errors carry `detail`; every response carries `X-Request-Id`.',
    )
    .setVersion(VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An API key.' })
    .build();
  const document = SwaggerModule.createDocument(app, description, {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  addBodyErrors(document);
  addPathErrors(document);
  completeSchemas(document);
  addExamples(document);
  return document;
}

/** How bodies are refused before a route sees them, in whatever way it is called that takes one. */
function addBodyErrors(document: OpenAPIObject): void {
  for (const { post, put, patch } of Object.values(document.paths)) {
    for (const operation of [post, put, patch]) {
      if (operation?.requestBody === undefined) continue;
      for (const status of [408, 413, 415]) operation.responses[status] ??= errorResponse(status);
    }
  }
}

/** A path whose %-encoding is broken is refused before a route sees it. */
function addPathErrors(document: OpenAPIObject): void {
  for (const [path, { get, post, put, patch, delete: remove }] of Object.entries(document.paths)) {
    if (!path.includes('{')) continue;
    for (const operation of [get, post, put, patch, remove]) {
      if (operation !== undefined) operation.responses[400] ??= errorResponse(400);
    }
  }
}

/** Swagger UI at `/docs`, the document at `/openapi.json`. */
export function serveDocumentation(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => createOpenApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Lectern',
    swaggerOptions: { persistAuthorization: true },
  });
}

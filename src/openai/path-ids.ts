import { applyDecorators } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { Kind } from './ids.js';

const PARAMETERS: Readonly<Record<Kind, { readonly name: string; readonly description: string }>> = {
  file: { name: 'file_id', description: 'File id.' },
  store: { name: 'vector_store_id', description: 'Vector store id.' },
  batch: { name: 'batch_id', description: 'File batch id.' },
  response: { name: 'response_id', description: 'Response id.' },
  conversation: { name: 'conversation_id', description: 'Conversation id.' },
};

/** Describes the ids in the path of a route in the OpenAPI document. */
export function PathIds(...kinds: readonly Kind[]): MethodDecorator {
  return applyDecorators(...kinds.map((kind) => ApiParam(PARAMETERS[kind])));
}

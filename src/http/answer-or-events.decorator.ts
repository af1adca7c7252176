import { ApiOkResponse, type OpenAPIObject } from '@nestjs/swagger';

/** One event: the fields that it has on the wire. */
const EVENT = {
  type: 'object',
  required: ['id', 'data'],
  properties: {
    id: { type: 'string', description: 'Counts from 0.', pattern: '^[0-9]+$' },
    data: { type: 'string', description: 'JSON in one line.' },
  },
};

type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

/** The success of a route that answers with an object, or with server-sent events when the request asks for them. */
export function ApiAnswerOrEvents(answer: Schema, description: string): MethodDecorator {
  return ApiOkResponse({
    description,
    content: {
      'application/json': { schema: answer },
      'text/event-stream': { schema: EVENT },
    },
  });
}

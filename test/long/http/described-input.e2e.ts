import {
  badlySized,
  describedInputs,
  isClosed,
  takesNull,
  type DescribedInput,
} from '../../support/described-input.js';
import type { Answer } from '../../support/client.js';
import { Documents } from '../../support/documents.js';
import { Service } from '../../support/service.js';

const INPUTS = describedInputs();
const named = (inputs: readonly DescribedInput[]) =>
  inputs.map((input) => [`${input.method} ${input.path} ${input.place.join('.')}`, input] as const);

const NUMBERS = INPUTS.filter(({ schema }) => schema.type === 'integer' || schema.type === 'number');
/**
 * Members that depend on others: a filter is a comparison or a compound, a batch has ids or files, and a
 * response without a language model needs the tool `file_search`.
 */
const DEPENDENT = /\/search body\.filters|file_batches body\.file_ids$|\/responses body\.tools$/;

const MEMBERS = INPUTS.filter(
  ({ path, place }) => place[0] === 'body' && !DEPENDENT.test(`${path} ${place.join('.')}`),
);

describe('inputs in the OpenAPI document', () => {
  let service: Service;
  let documentId: string;
  beforeAll(async () => {
    service = await Service.start();
    documentId = (await new Documents(() => service.client).ingestText('The ferry leaves at nine.'))
      .external_id;
  });
  afterAll(() => service.stop());

  it.each(named(NUMBERS.filter(({ schema }) => schema.type === 'integer')))(
    'have both bounds: %s',
    (_name, { schema }) => {
      expect([typeof schema.minimum, typeof schema.maximum]).toEqual(['number', 'number']);
    },
  );

  it.each(named(NUMBERS))('state the correct bounds of %s', async (_name, input) => {
    for (const literal of boundaryValues(input)) {
      const answer = await send(input, literal);
      expect([literal, answer.status < 500]).toEqual([literal, true]);
      if (isWithin(input, Number(literal))) continue;
      expect([literal, answer.status, refusedPlaces(answer)]).toEqual([
        literal,
        refusalOf(input),
        [input.place],
      ]);
    }
  });

  it.each(named(MEMBERS.filter(({ schema }) => !takesNull(schema))))(
    'reject null: %s',
    async (_name, input) => {
      const answer = await send(input, 'null');
      expect([answer.status, refusedPlaces(answer)]).toEqual([refusalOf(input), [input.place]]);
    },
  );

  it.each(named(MEMBERS.filter(({ schema }) => takesNull(schema))))(
    'accept null: %s',
    async (_name, input) => {
      const answer = await send(input, 'null');
      expect(refusedPlaces(answer)).not.toContainEqual(input.place);
      expect(answer.status).toBeLessThan(500);
    },
  );

  it.each(named(MEMBERS.filter(({ schema }) => badlySized(schema).length > 0)))(
    'reject lengths out of bounds and blank values: %s',
    async (_name, input) => {
      for (const literal of badlySized(input.schema)) {
        const answer = await send(input, literal);
        expect([literal, answer.status, refusedPlaces(answer)]).toEqual([
          literal,
          refusalOf(input),
          [input.place],
        ]);
      }
    },
  );

  it.each(named(INPUTS.filter(({ schema }) => schema.type === 'string' && schema.enum === undefined)))(
    'reject text that cannot be stored: %s',
    async (_name, input) => {
      const literal = input.place[0] === 'query' ? 'a\0' : JSON.stringify('a\0');
      const answer = await send(input, literal);
      expect(answer.status).toBe(refusalOf(input));
      expect(refusedPlaces(answer)).toContainEqual(input.place);
    },
  );

  it.each(named(MEMBERS.filter(({ schema }) => isClosed(schema))))(
    'reject unknown members: %s',
    async (_name, input) => {
      const answer = await send(input, '{"unheard_of":1}');
      expect(answer.status).toBe(refusalOf(input));
      expect(refusedPlaces(answer)).toContainEqual([...input.place, 'unheard_of']);
    },
  );

  async function send({ method, requestWith }: DescribedInput, json: string): Promise<Answer> {
    const { path, body } = requestWith(json);
    const call = path.replace('{document_id}', documentId).replace(/\{\w+\}/g, 'something');
    const answer = await service.client.call(method, call, { body });
    // A model that this connects does not run here.
    if (path === '/settings/model') await service.client.delete('/settings/model');
    return answer;
  }
});

/** Values are JSON text, so that 1.0 differs from 1 and large numbers keep their digits. */
function boundaryValues({ schema: { minimum, maximum } }: DescribedInput): readonly string[] {
  const bounds = [minimum, maximum].flatMap((bound) =>
    bound === undefined ? [] : [bound - 1, bound, bound + 1],
  );
  const powers = [2n ** 31n, 2n ** 53n, 2n ** 63n, 2n ** 64n].flatMap((power) => [
    power - 1n,
    power,
    power + 1n,
  ]);
  const values = [...bounds, ...powers, ...powers.map((power) => -power), -1, 0].map(String);
  return [...new Set([...values, '1.0', '0.5', '1e308', '-1e308', '1e400'])];
}

function isWithin({ schema }: DescribedInput, value: number): boolean {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum, type } = schema;
  const isWhole = type === 'number' || Number.isInteger(value);
  return isWhole && value <= maximum && (exclusiveMinimum === true ? value > minimum : value >= minimum);
}

/** Returns the status for invalid input: OpenAI's clients expect 400. */
function refusalOf({ path }: DescribedInput): number {
  return path.startsWith('/v1/') ? 400 : 422;
}

function refusedPlaces(answer: Answer): unknown[] {
  if (answer.status !== 422 && answer.status !== 400) return [];
  const { detail } = answer.json() as { detail: string | readonly { readonly loc: unknown }[] };
  return typeof detail === 'string' ? [] : detail.map(({ loc }) => loc);
}

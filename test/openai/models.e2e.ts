import OpenAI, { type APIError, NotFoundError } from 'openai';
import { CompletionService } from '../support/completion-service.js';
import { Service } from '../support/service.js';
import type { SharedService } from '../support/shared-service.js';

const QUESTION = 'How many kilograms does the blue device weigh?';
const user = (content: string) => ({ role: 'user', content }) as const;

describe('models with the official OpenAI client', () => {
  let home: CompletionService<SharedService>;
  let client: OpenAI;
  beforeAll(async () => {
    home = await CompletionService.shared();
    client = new OpenAI({ apiKey: home.service.adminKey, baseURL: `${home.service.url}/v1`, maxRetries: 0 });
  });
  afterAll(() => home.stop());

  it('are listed, and got one by one', async () => {
    const names: string[] = [];
    for await (const { id } of client.models.list()) names.push(id);
    expect(names).toEqual(['lectern', 'hosted_vllm/plain', 'extractive']);
    for (const name of names)
      expect(await client.models.retrieve(name)).toMatchObject({ id: name, object: 'model' });
    await expect(client.models.retrieve('gpt-9')).rejects.toBeInstanceOf(NotFoundError);
  });

  it.each([
    ['read', 200],
    ['query', 200],
    ['write', 403],
  ])('are listed with a key for %s only: %i', async (scope, status) => {
    const issued = await home.service.client.post('/keys', { name: scope, scopes: [scope] });
    const keyed = home.service.as((issued.json() as { key: string }).key);
    for (const path of ['/v1/models', '/v1/models/lectern', '/models'])
      expect([path, (await keyed.get(path)).status]).toEqual([path, status]);
  });

  it('are the configured model under any known model name', async () => {
    const body = { model: 'gpt-4.1-mini', messages: [user(QUESTION)] };
    const answer = await client.chat.completions.create(body);
    expect([answer.model, home.provider.last.body.model]).toEqual(['gpt-4.1-mini', 'plain']);
    const stream = await client.chat.completions.create({ ...body, stream: true });
    for await (const chunk of stream) expect(chunk.model).toBe('gpt-4.1-mini');
    const response = await client.responses.create({ model: 'o9-pro', input: QUESTION });
    expect([response.model, home.provider.last.body.model]).toEqual(['o9-pro', 'plain']);
  });
});

describe('models with ANY_MODEL_NAME=false', () => {
  let service: Service;
  let client: OpenAI;
  beforeAll(async () => {
    service = await Service.start({ ANY_MODEL_NAME: 'false' });
    client = new OpenAI({ apiKey: service.adminKey, baseURL: `${service.url}/v1`, maxRetries: 0 });
  });
  afterAll(() => service.stop());

  it.each<[string, () => Promise<unknown>]>([
    [
      'chat completions',
      () => client.chat.completions.create({ model: 'gpt-9', messages: [user(QUESTION)] }),
    ],
    ['responses', () => client.responses.create({ model: 'gpt-9', input: QUESTION })],
  ])('that are unknown are an error: %s', async (_, request) => {
    const error = (await request().catch((thrown: unknown) => thrown)) as APIError;
    expect(error).toBeInstanceOf(NotFoundError);
    expect([error.code, error.param]).toEqual(['model_not_found', 'model']);
    expect(error.message).toMatch(/GET \/v1\/models lists the available models/);
  });

  it.each(['lectern', 'extractive'])('that exist are accepted: %s', async (model) => {
    const answer = await client.chat.completions.create({ model, messages: [user(QUESTION)] });
    expect(answer.model).toBe(model);
  });
});

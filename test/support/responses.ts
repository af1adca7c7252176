import OpenAI, { type APIError, toFile } from 'openai';
import type {
  Response,
  ResponseCreateParams,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { CompletionService } from './completion-service.js';
import type { Service } from './service.js';
import type { Served } from './shared-service.js';

export const KEEPER = 'The keeper is relieved every Tuesday at noon.';
export const LAMP = 'The lamp burns two litres of oil in a night.';
export const QUESTION = 'When is the keeper relieved?';
export const PICTURE = 'data:image/png;base64,iVBORw0KGgo=';

export type ResponseBody = Omit<ResponseCreateParams, 'stream'> & { readonly end_user_id?: string };

/** The built service with a fake model provider, and the client of OpenAI for its responses. */
export class ResponsesService {
  readonly service: Service;
  readonly provider: CompletionService['provider'];
  readonly client: OpenAI;

  private constructor(private readonly home: CompletionService) {
    this.service = home.service;
    this.provider = home.provider;
    this.client = openAiClient(home.service, home.service.adminKey);
  }

  static async start(): Promise<ResponsesService> {
    return new ResponsesService(await CompletionService.start());
  }

  stop(): Promise<void> {
    return this.home.stop();
  }

  /** Returns a response of the model with this behaviour. */
  ask(model: string, body: ResponseBody): Promise<Response> {
    return this.client.responses.create({ model: 'lectern', ...body, llm_config: { model } } as never);
  }

  /** Returns the events of a streamed response of the model with this behaviour. */
  async events(model: string, body: ResponseBody): Promise<ResponseStreamEvent[]> {
    const stream = (await this.client.responses.create({
      model: 'lectern',
      ...body,
      stream: true,
      llm_config: { model },
    } as never)) as unknown as AsyncIterable<ResponseStreamEvent>;
    const received: ResponseStreamEvent[] = [];
    for await (const event of stream) received.push(event);
    return received;
  }
}

export function openAiClient({ url }: Served, apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
}

/** Creates a vector store with a file about the keeper and one about the lamp. */
export async function createStore(client: OpenAI): Promise<string> {
  const { id } = await client.vectorStores.create({ name: 'harbour' });
  for (const [name, text] of Object.entries({ 'keeper.txt': KEEPER, 'lamp.txt': LAMP })) {
    const file = await client.files.create({
      file: await toFile(Buffer.from(text), name),
      purpose: 'assistants',
    });
    await client.vectorStores.files.createAndPoll(id, { file_id: file.id, attributes: { name } });
  }
  return id;
}

export function searchOf(store: string, more: object = {}): OpenAI.Responses.FileSearchTool {
  return { type: 'file_search', vector_store_ids: [store], ...more };
}

export function clock(name = 'clock'): OpenAI.Responses.FunctionTool {
  return {
    type: 'function',
    name,
    description: 'The present time in a zone.',
    parameters: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] },
    strict: null,
  } as unknown as OpenAI.Responses.FunctionTool;
}

/** Returns the error of a request. @throws Error if the request succeeds */
export function refusal(request: Promise<unknown>): Promise<APIError> {
  return request.then(
    () => {
      throw new Error('the request succeeded');
    },
    (error: unknown) => error as APIError,
  );
}

/** The types of the events in order, without consecutive duplicates. */
export function typesOf(events: readonly ResponseStreamEvent[]): string[] {
  const types = events.map(({ type }) => type);
  return types.filter((type, at) => type !== types[at - 1]);
}

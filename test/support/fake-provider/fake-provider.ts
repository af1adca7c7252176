import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { answerTo, callIn } from './answers.js';
import { Behaviour } from './behaviour.js';
import { Call, type WireBody } from './calls.js';
import { embeddingsOf } from './embeddings.js';
import { failureFor, Refusals } from './failures.js';
import { sendCall, sendCompletion, sendStream } from './responses.js';

interface ListedModels {
  readonly status?: number;
  readonly data?: readonly unknown[];
  /** A page in place of a list. */
  readonly body?: string;
}

/**
 * A fake model provider with the OpenAI wire format (chat completions, streams, embeddings, models). The
 * model name selects its behaviour; see {@link Behaviour}. It records all calls.
 */
export class FakeProvider {
  readonly calls: Call[] = [];
  /** The answer of `GET /models`: without models, unless a spec changes it. */
  listed: ListedModels = {};
  private readonly refusals = new Refusals();
  private readonly releases = new EventEmitter();
  private readonly released = new Set<string>();
  private readonly aliases = new Map<string, string>();

  private constructor(
    private readonly server: Server,
    /** Base URL with `/v1`. */
    readonly url: string,
  ) {}

  static async start(host = '127.0.0.1', givenPort = 0): Promise<FakeProvider> {
    const server = createServer();
    server.listen(givenPort, host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const provider = new FakeProvider(server, `http://${host}:${port}/v1`);
    server.on('request', (request, response) => {
      void provider.answer(request, response);
    });
    return provider;
  }

  get completions(): Call[] {
    return this.calls.filter(({ path }) => path.endsWith('/chat/completions'));
  }

  get last(): Call {
    const call = this.completions.at(-1);
    if (!call) throw new Error('the fake provider was not called');
    return call;
  }

  /** Returns calls to models whose name contains this part, such as `case:3`. */
  callsTo(part: string): Call[] {
    return this.completions.filter(({ body }) => body.model.split('|').includes(part));
  }

  /** Gives a behaviour a readable model name. */
  alias(model: string, behaviour: string): void {
    this.aliases.set(model, behaviour);
  }

  /** Continues calls that wait for `holds:key` or `halfway:key`. */
  release(key: string): void {
    this.released.add(key);
    this.releases.emit(key);
  }

  forget(): void {
    this.calls.length = 0;
    this.refusals.forget();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', this.url).pathname;
    const raw = await text(request);
    const body = (raw === '' ? { model: '', messages: [] } : JSON.parse(raw)) as WireBody;
    const call = new Call(path, request.headers, body, raw);
    this.calls.push(call);
    response.on('close', () => {
      call.answered = response.writableFinished;
      call.aborted = !response.writableFinished;
    });
    if (path.endsWith('/models')) {
      this.answerModels(response);
      return;
    }
    if (path.endsWith('/embeddings')) return void response.end(JSON.stringify(embeddingsOf(body)));
    await this.complete(call, response);
  }

  private answerModels(response: ServerResponse): void {
    const { status = 200, data = [], body } = this.listed;
    const type = body === undefined ? 'application/json' : 'text/html';
    response
      .writeHead(status, { 'content-type': type })
      .end(body ?? JSON.stringify({ object: 'list', data }));
  }

  private async complete(call: Call, response: ServerResponse): Promise<void> {
    const { model } = call.body;
    const behaviour = new Behaviour(this.aliases.get(model) ?? model);
    if (behaviour.has('hangs')) return;
    const releasedTo = async (part: string): Promise<void> => {
      const held = behaviour.text(part);
      if (held !== undefined && !this.released.has(held)) await once(this.releases, held);
    };
    await releasedTo('holds');
    await delay(behaviour.number('delay', 0));
    const failure = failureFor(call, behaviour, this.refusals);
    if (failure) {
      call.refused = true;
      response.writeHead(failure.status, failure.headers).end(failure.body);
      return;
    }
    const answer = answerTo(call, behaviour);
    const asked = callIn(call, behaviour);
    if (asked !== undefined) sendCall(response, asked, call.body.stream === true, behaviour);
    else if (call.body.stream === true)
      await sendStream(response, answer, behaviour, () => releasedTo('halfway'));
    else await sendCompletion(response, answer, behaviour);
  }
}

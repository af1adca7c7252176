import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { until } from './until.js';

export interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A message that a receiver got. */
export interface Received {
  readonly path: string;
  readonly id: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  readonly message: Message;
}

/** HTTP status of an answer; 'none': the receiver does not answer; a text: it redirects there. */
export type Reaction = number | 'none' | `http${string}`;

/** A receiver of webhooks on this machine. Each path is a receiver of its own. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** Seconds that answers ask to wait. */
  retryAfter: number | null = null;
  private readonly reactions = new Map<string, Reaction[]>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      void text(request).then((body) => {
        receiver.take(request.url ?? '', request.headers, body, response);
      });
    });
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Answers the next messages to a path in this way, and all further ones as the last. */
  react(path: string, ...reactions: Reaction[]): void {
    this.reactions.set(path, reactions);
  }

  at(path: string): Received[] {
    return this.received.filter((one) => one.path === path);
  }

  /** Waits for a message to a path. */
  async next(path: string, isSought: (message: Message) => boolean): Promise<Received> {
    return until(`a message to ${path}`, () => this.at(path).find(({ message }) => isSought(message)));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take(path: string, headers: IncomingHttpHeaders, body: string, response: ServerResponse): void {
    const id = String(headers['webhook-id']);
    this.received.push({ path, id, body, headers, message: JSON.parse(body) as Message });
    const [reaction = 204, ...later] = this.reactions.get(path) ?? [];
    if (later.length > 0) this.reactions.set(path, later);
    if (reaction === 'none') return;
    if (typeof reaction === 'string') response.writeHead(302, { location: reaction });
    else
      response.writeHead(
        reaction,
        this.retryAfter === null ? {} : { 'retry-after': String(this.retryAfter) },
      );
    response.end('What the receiver says is nobody’s business.');
  }
}

/** Verifies a message as a receiver does. @throws WebhookVerificationError */
export function verified(secret: string, { body, headers }: Received): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}

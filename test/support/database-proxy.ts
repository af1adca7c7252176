import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** One direction of a connection: chunks go on in order, as soon as the proxy lets them. */
type Gate = (chunk: Buffer) => Promise<unknown>;

/** `COMMIT` as a simple query of the frontend/backend protocol. */
const COMMIT = Buffer.from('COMMIT\0');

/**
 * Stands between the service and PostgreSQL, and does to the connections what networks and servers in trouble do. The
 * database behind it goes on.
 */
export class DatabaseProxy {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly address: { readonly host: string; readonly port: number };
  private thawed: Promise<void> = Promise.resolve();
  private thaw: () => void = () => undefined;
  private delayMs = 0;
  private doomed: Buffer | undefined;
  private lastPort = 0;

  private constructor(private readonly target: URL) {
    this.address = { host: target.hostname, port: Number(target.port || '5432') };
    this.server = createServer({ allowHalfOpen: true }, (client) => {
      this.join(client);
    });
  }

  /** @param target the URL of a database. */
  static async start(target: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(new URL(target));
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  /** The URL of the database by way of the proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  /** Keeps connections open, new ones too, and answers nothing, as a stopped server does, until `resume`. */
  freeze(): void {
    this.thawed = new Promise((resolve) => {
      this.thaw = resolve;
    });
  }

  /** Everything that was sent meanwhile arrives, as it does at a server that was stopped. */
  resume(): void {
    this.thaw();
    this.delayMs = 0;
  }

  /** Everything takes longer, in either direction. */
  delay(milliseconds: number): void {
    this.delayMs = milliseconds;
  }

  /** Breaks the connections there are. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Breaks the connections, and takes no new ones until `accept`. */
  async refuse(): Promise<void> {
    this.lastPort = this.port;
    this.server.close();
    this.cut();
    await once(this.server, 'close');
  }

  async accept(): Promise<void> {
    this.server.listen(this.lastPort, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** One transaction that sends `text` is committed, and its connection breaks before that is answered. */
  loseCommitOf(text: string): void {
    this.doomed = Buffer.from(text);
  }

  async close(): Promise<void> {
    this.resume();
    if (this.server.listening) await this.refuse();
  }

  private get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  private async passage(): Promise<void> {
    if (this.delayMs > 0) await delay(this.delayMs);
    await this.thawed;
  }

  private join(client: Socket): void {
    const server = connect({ ...this.address, allowHalfOpen: true });
    let isDoomed = false;
    let isLost = false;
    pump(client, server, async (chunk) => {
      await this.passage();
      if (this.doomed !== undefined && chunk.includes(this.doomed)) {
        this.doomed = undefined;
        isDoomed = true;
      }
      isLost ||= isDoomed && chunk.includes(COMMIT);
    });
    pump(server, client, async () => {
      await this.passage();
      if (isLost) client.destroy();
    });
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.sockets.delete(socket));
    }
  }
}

function pump(from: Socket, to: Socket, gate: Gate): void {
  let turn: Promise<unknown> = Promise.resolve();
  from.on('data', (chunk: Buffer) => {
    const passed = gate(chunk);
    turn = turn.then(() => passed).then(() => to.writable && to.write(chunk));
  });
  from.once('close', () => {
    turn = turn.then(() => gate(Buffer.alloc(0))).then(() => to.end());
  });
  from.once('end', () => {
    turn = turn.then(() => to.end());
  });
}

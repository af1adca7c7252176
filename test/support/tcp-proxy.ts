import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Forwards one direction of a connection: blocks of data in order, as soon as the proxy allows. */
type Gate = (chunk: Buffer) => Promise<unknown>;

/** `COMMIT` as a simple query of the frontend/backend protocol. */
const COMMIT = Buffer.from('COMMIT\0');

/**
 * How a connection fails. `cut`: it closes without a message; `reset`: the peer resets it; `freeze`: it delivers
 * nothing more.
 */
export type Fault = 'cut' | 'reset' | 'freeze';

/**
 * A proxy between the service and a server, such as PostgreSQL, that simulates failures of networks and servers. The server
 * itself continues to run.
 */
export class TcpProxy {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly address: { readonly host: string; readonly port: number };
  private thawed: Promise<void> = Promise.resolve();
  private thaw: () => void = () => undefined;
  private delayMs = 0;
  private doomed: Buffer | undefined;
  /** Number of data blocks to forward before the planned fault. */
  private chunksLeft = Infinity;
  private planned: Fault = 'cut';
  private lastPort = 0;

  private constructor(private readonly target: URL) {
    const usualPort = target.protocol === 'postgres:' ? '5432' : '80';
    this.address = { host: target.hostname, port: Number(target.port || usualPort) };
    this.server = createServer({ allowHalfOpen: true }, (client) => {
      this.join(client);
    });
  }

  /** @param target URL of the server */
  static async start(target: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(target));
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  /** URL of the server through the proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  /** Until `resume`, keeps old and new connections open but forwards nothing, like a stopped server. */
  freeze(): void {
    this.thawed = new Promise((resolve) => {
      this.thaw = resolve;
    });
  }

  /**
   * Delivers everything that was sent since `freeze`, like a server that continues. Removes the delay and cancels the
   * planned fault.
   */
  resume(): void {
    this.thaw();
    this.delayMs = 0;
    this.chunksLeft = Infinity;
  }

  /** Forwards `count` data blocks, in both directions together, and then fails once. */
  failAfter(count: number, fault: Fault): void {
    this.chunksLeft = count;
    this.planned = fault;
  }

  /** Whether the planned fault is still to come. */
  get isPlanned(): boolean {
    return this.chunksLeft !== Infinity;
  }

  /** Delays both directions. */
  delay(milliseconds: number): void {
    this.delayMs = milliseconds;
  }

  /** Breaks all connections. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Ends all connections with RST, like a server that has lost its state. */
  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** Breaks all connections, and rejects new connections until `accept`. */
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

  /**
   * Lets the server commit the next transaction that contains `text`, and breaks the connection before the response to
   * the commit.
   */
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
    if (this.chunksLeft-- === 0) {
      this.chunksLeft = Infinity;
      this[this.planned]();
    }
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

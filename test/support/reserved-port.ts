import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Listens on a free port until it is released, so that no other process gets it. */
export async function reservePort(): Promise<{ port: string; release: () => Promise<void> }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const release = async () => {
    server.close();
    await once(server, 'close');
  };
  return { port: String(port), release };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Documents } from './documents.js';
import { Service } from './service.js';

/** The service with an embedding model that takes no time, for specs in which something else is large. */
export class FakeEmbeddedService {
  private constructor(
    readonly service: Service,
    readonly documents: Documents,
    private readonly closeModel: () => Promise<void>,
  ) {}

  /** @param environment settings of the spec, over those of the model. */
  static async start(environment: Readonly<Record<string, string>> = {}): Promise<FakeEmbeddedService> {
    const embeddings = await embeddingsProcess();
    const service = await Service.start({
      EMBEDDING_MODEL: 'openai/fake',
      EMBEDDING_API_BASE: embeddings.url,
      EMBEDDING_DIMENSIONS: '384',
      ...environment,
    });
    return new FakeEmbeddedService(service, new Documents(() => service.client), () => embeddings.close());
  }

  /**
   * Ingests a document and starts the process anew: the first start of the embedded database makes it, which takes more
   * memory than running it.
   */
  async warmUp(): Promise<void> {
    await this.documents.ingestText('The spare key hangs behind the blue door of the boathouse.');
    await this.service.terminate();
    await this.service.restart();
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.closeModel();
  }
}

/** A process of its own: in that of the spec it would keep the questions of the spec waiting, which are timed. */
async function embeddingsProcess(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const child = spawn(process.execPath, ['test/support/fake-embeddings.mjs'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    url,
    async close() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

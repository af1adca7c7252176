import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Documents } from './documents.js';
import { Service } from './service.js';

/** The service with an instant embedding model, for specs that measure something else. */
export class FakeEmbeddedService {
  private constructor(
    readonly service: Service,
    readonly documents: Documents,
    private readonly closeModel: () => Promise<void>,
  ) {}

  /** @param environment variables that override the settings of the model */
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
   * Ingests a document and restarts the process, because creating the embedded database takes more memory than running
   * it.
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

/** Runs in its own process, so that the spec's timed requests are not delayed. */
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

import { startModules } from '../../../test/support/start-modules.js';
import { HttpPageEmbedder } from './http-page-embedder.js';
import { MultivectorModule } from './multivector.module.js';
import { PageEmbedder } from './page-embedder.js';

const embedderOf = async (environment: Record<string, string>): Promise<PageEmbedder | null> => {
  const context = await startModules(environment, MultivectorModule);
  const embedder = context.get<PageEmbedder | null>(PageEmbedder);
  await context.close();
  return embedder;
};

describe('MultivectorModule', () => {
  it('provides no page embedder by default', async () => {
    expect(await embedderOf({})).toBeNull();
  });

  it('provides the server with MULTIVECTOR=http and names vectors by format and model', async () => {
    const embedder = await embedderOf({
      MULTIVECTOR: 'http',
      MULTIVECTOR_API_BASE: 'http://127.0.0.1:9',
      MULTIVECTOR_MODEL: 'vidore/colpali-v1.3-hf',
    });
    expect(embedder).toBeInstanceOf(HttpPageEmbedder);
    expect(embedder).toMatchObject({ model: 'vllm/vidore/colpali-v1.3-hf' });
  });

  it.each(['MULTIVECTOR_API_BASE', 'MULTIVECTOR_MODEL'])('requires %s for a server', async (missing) => {
    const settings = {
      MULTIVECTOR: 'http',
      MULTIVECTOR_API_BASE: 'http://127.0.0.1:9',
      MULTIVECTOR_MODEL: 'm',
      [missing]: '',
    };
    await expect(embedderOf(settings)).rejects.toThrow(`${missing} is required with MULTIVECTOR=http`);
  });
});

import { startModules } from '../../../test/support/start-modules.js';
import { HttpReranker } from './http-reranker.js';
import { Reranker } from './reranker.js';
import { RerankingModule } from './reranking.module.js';

const rerankerOf = async (environment: Record<string, string>): Promise<Reranker | null> => {
  const context = await startModules(environment, RerankingModule);
  const reranker = context.get<Reranker | null>(Reranker);
  await context.close();
  return reranker;
};

describe('RerankingModule', () => {
  it('provides null by default', async () => {
    expect(await rerankerOf({})).toBeNull();
  });

  it('provides the endpoint with RERANKER=http', async () => {
    expect(await rerankerOf({ RERANKER: 'http', RERANKER_API_BASE: 'http://127.0.0.1:9' })).toBeInstanceOf(
      HttpReranker,
    );
  });
});

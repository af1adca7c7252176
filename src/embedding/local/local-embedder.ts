import { observedCall } from '../../providers/observed-call.js';
import { currentSignal } from '../../request/request-context.js';
import { Embedder } from '../embedder.js';
import type { Readability } from '../readability.js';
import type { LocalTextModel } from './local-text-model.js';

/** Adapter: the bundled model, all-MiniLM-L6-v2. Texts are cut at 256 word pieces. */
export class LocalEmbedder extends Embedder {
  readonly model = 'local/all-MiniLM-L6-v2';
  readonly dimensions = 384;

  constructor(
    private readonly textModel: LocalTextModel,
    private readonly readability: Readability,
    readonly cosineFloor: number,
  ) {
    super();
  }

  unreadable(question: string): number {
    return this.readability.unreadable(question);
  }

  embedDocuments(texts: readonly string[]): Promise<Float32Array[]> {
    const signal = currentSignal();
    return observedCall('embedding', signal, () => this.textModel.embed(texts, { signal }));
  }

  async embedQuery(text: string): Promise<Float32Array> {
    const signal = currentSignal();
    const [vector] = await observedCall('embedding', signal, () =>
      this.textModel.embed([text], { urgent: true, signal }),
    );
    if (vector === undefined) throw new Error('The text model answered without a vector');
    return vector;
  }
}

import { observedCall } from '../../providers/observed-call.js';
import { currentSignal } from '../../../request/request-context.js';
import { Embedder } from '../embedder.js';
import { DEFAULT_COSINE_FLOOR } from '../known-models.js';
import { LazyReadability, type Unreadable } from '../readability.js';
import { LanguageMonitor } from '../unsupported-language.js';
import type { LocalTextModel } from './local-text-model.js';

/** Adapter to a local text model. Truncates texts to the model's maximum length. */
export class LocalEmbedder extends Embedder {
  readonly model: string;
  readonly dimensions: number;
  private readonly languageMonitor = new LanguageMonitor(this);

  private constructor(
    private readonly textModel: LocalTextModel,
    private readonly readability: LazyReadability,
    private readonly prefixes: { readonly query: string; readonly document: string },
    readonly cosineFloor: number,
  ) {
    super();
    this.model = `local/${textModel.model.name}`;
    this.dimensions = textModel.model.dimensions;
  }

  /**
   * Loads the model.
   * @param floor cosine floor; overrides the model's known floor
   * @throws ConfigurationError when this machine cannot run the model.
   */
  static async start(textModel: LocalTextModel, floor?: number): Promise<LocalEmbedder> {
    const { queryPrefix: query = '', documentPrefix: document = '', ...known } = textModel.facts;
    await textModel.start();
    const readability = new LazyReadability(textModel.model.tokenizer, known.english ? 'every' : 'latin');
    const cosineFloor = floor ?? known.cosineFloor ?? DEFAULT_COSINE_FLOOR;
    return new LocalEmbedder(textModel, readability, { query, document }, cosineFloor);
  }

  unreadable(question: string): Promise<Unreadable> {
    return this.readability.unreadable(question);
  }

  async embedDocuments(texts: readonly string[]): Promise<Float32Array[]> {
    await this.languageMonitor.sample(texts);
    const signal = currentSignal();
    const passages = texts.map((text) => `${this.prefixes.document}${text}`);
    return observedCall('embedding', signal, () => this.textModel.embed(passages, { signal }));
  }

  async embedQuery(text: string): Promise<Float32Array> {
    const signal = currentSignal();
    const [vector] = await observedCall('embedding', signal, () =>
      this.textModel.embed([`${this.prefixes.query}${text}`], { urgent: true, signal }),
    );
    if (vector === undefined) throw new Error('The text model returned no vector');
    return vector;
  }
}

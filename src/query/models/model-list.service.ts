import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { NotFound } from '../../errors/index.js';
import { Embedder } from '../../embedding/embedder.js';
import { LanguageModel } from '../../llm/language-model.js';
import { LanguageModels } from '../../llm/language-models.js';

/** A completion model that requests can name without bringing a key. */
export interface OfferedModel {
  /** `provider/name`, or `extractive`. */
  readonly id: string;
  readonly model: LanguageModel;
}

/** The configured model by whatever it is called. */
export const OWN_NAME = 'lectern';

/** Details of the error about a model name that is not known. */
export const NO_MODEL = { code: 'model_not_found', param: 'model' } as const;

/** What the service offers by itself: the configured model, and the best passages without one. */
@Injectable()
export class ModelListService {
  readonly completion: readonly OfferedModel[];
  /** Of the completion models, the one that LLM_* configures. */
  readonly configured: OfferedModel;
  readonly embedding: string;

  constructor(
    model: LanguageModel,
    { none }: LanguageModels,
    private readonly embedder: Embedder,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.configured = { id: idOf(model), model };
    const embedded = { id: idOf(none), model: none };
    this.completion = this.configured.id === embedded.id ? [this.configured] : [this.configured, embedded];
    this.embedding = settings.EMBEDDING_MODEL;
  }

  /** The offered model of that id; the configured one also by its bare name and as `lectern`. */
  find(name: string): OfferedModel | undefined {
    const { configured } = this;
    if (name === OWN_NAME || name === configured.model.name) return configured;
    return this.completion.find(({ id }) => id === name);
  }

  /** @throws NotFound when the service offers no model of that name. */
  require(name: string): OfferedModel {
    const model = this.find(name);
    if (model !== undefined) return model;
    throw new NotFound(
      'The model does not exist here; GET /v1/models lists those that do',
      undefined,
      NO_MODEL,
    );
  }

  /**
   * The model that answers a request under that name: with ANY_MODEL_NAME the configured one where the name is unknown,
   * because applications name the models of another provider.
   * @throws NotFound for an unknown name without ANY_MODEL_NAME.
   */
  answering(name: string): OfferedModel {
    return this.settings.ANY_MODEL_NAME ? (this.find(name) ?? this.configured) : this.require(name);
  }

  /** Whether the embedding model is called so: as it is configured, in full, without its provider, or `lectern`. */
  isEmbedding(name: string): boolean {
    const names = [this.embedding, this.embedder.model];
    return name === OWN_NAME || names.some((one) => name === one || one.replace(/^[^/]*\//, '') === name);
  }
}

function idOf({ provider, name }: LanguageModel): string {
  return provider === name ? name : `${provider}/${name}`;
}

import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { NotFound } from '../../errors/index.js';
import { Embedder } from '../../embedding/embedder.js';
import { LanguageModel } from '../../llm/language-model.js';
import { LanguageModels } from '../../llm/language-models.js';

/** A completion model that works without the caller's key. */
export interface OfferedModel {
  /** `provider/name`, or `extractive`. */
  readonly id: string;
  readonly model: LanguageModel;
}

/** Alias of the configured model. */
export const OWN_NAME = 'lectern';

/** Error details of an unknown model name. */
export const NO_MODEL = { code: 'model_not_found', param: 'model' } as const;

/** The service's own models: the configured one, and `extractive` without a language model. */
@Injectable()
export class ModelListService {
  readonly completion: readonly OfferedModel[];
  /** The model configured by LLM_*. */
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

  /** Finds a model by id; the configured one also by its bare name or as `lectern`. */
  find(name: string): OfferedModel | undefined {
    const { configured } = this;
    if (name === OWN_NAME || name === configured.model.name) return configured;
    return this.completion.find(({ id }) => id === name);
  }

  /** @throws NotFound for an unknown model. */
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
   * Resolves a model name. With ANY_MODEL_NAME an unknown name is the configured model, because applications name the
   * models of another provider.
   * @throws NotFound for an unknown name without ANY_MODEL_NAME.
   */
  answering(name: string): OfferedModel {
    return this.settings.ANY_MODEL_NAME ? (this.find(name) ?? this.configured) : this.require(name);
  }

  /** Whether a name refers to the embedding model: its configured name, with or without provider, or `lectern`. */
  isEmbedding(name: string): boolean {
    const names = [this.embedding, this.embedder.model];
    return name === OWN_NAME || names.some((one) => name === one || one.replace(/^[^/]*\//, '') === name);
  }
}

function idOf({ provider, name }: LanguageModel): string {
  return provider === name ? name : `${provider}/${name}`;
}

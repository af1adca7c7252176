import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { NotFound } from '../../errors/index.js';
import { Embedder } from '../embedding/embedder.js';
import { ConfiguredModel } from '../llm/configured-model.js';
import { modelId, type LanguageModel } from '../llm/language-model.js';
import { LanguageModels } from '../llm/language-models.js';

/** A completion model that callers can use without their own provider key. */
export interface OfferedModel {
  /** `provider/name`, or `extractive`. */
  readonly id: string;
  readonly model: LanguageModel;
}

/** The completion models that callers can currently choose. */
export interface OfferedModels {
  readonly configured: OfferedModel;
  /** The configured model first. */
  readonly all: readonly OfferedModel[];
}

/** Name under which clients can address the configured model. */
export const OWN_NAME = 'lectern';

/** Error code and parameter for an unknown model name. */
export const NO_MODEL = { code: 'model_not_found', param: 'model' } as const;

/** The models that the service offers: the configured model, and `extractive` for answers without a language model. */
@Injectable()
export class ModelListService {
  readonly embedding: string;

  constructor(
    private readonly configured: ConfiguredModel,
    private readonly models: LanguageModels,
    private readonly embedder: Embedder,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.embedding = settings.EMBEDDING_MODEL;
  }

  async completion(): Promise<OfferedModels> {
    const { model } = await this.configured.get();
    const { none } = this.models;
    const configured = { id: modelId(model), model };
    const embedded = { id: modelId(none), model: none };
    return { configured, all: configured.id === embedded.id ? [configured] : [configured, embedded] };
  }

  /** @throws NotFound for an unknown model. */
  async require(name: string): Promise<OfferedModel> {
    return required(await this.completion(), name);
  }

  /**
   * Resolves a model name. With ANY_MODEL_NAME, an unknown name selects the configured model. This setting is for
   * applications that send model names of another provider.
   * @returns the id of the model; null for the configured model
   * @throws NotFound for an unknown name without ANY_MODEL_NAME.
   */
  async otherThanConfigured(name: string): Promise<string | null> {
    const offered = await this.completion();
    const { id } = this.settings.ANY_MODEL_NAME
      ? (found(offered, name) ?? offered.configured)
      : required(offered, name);
    return id === offered.configured.id ? null : id;
  }

  /** Whether a name refers to the embedding model: its configured name, with or without provider, or `lectern`. */
  isEmbedding(name: string): boolean {
    const names = [this.embedding, this.embedder.model];
    return name === OWN_NAME || names.some((one) => name === one || one.replace(/^[^/]*\//, '') === name);
  }
}

/** Finds a model by its id. The configured model is also found by its name without the provider, and as `lectern`. */
function found({ configured, all }: OfferedModels, name: string): OfferedModel | undefined {
  if (name === OWN_NAME || name === configured.model.name) return configured;
  return all.find(({ id }) => id === name);
}

function required(offered: OfferedModels, name: string): OfferedModel {
  const model = found(offered, name);
  if (model !== undefined) return model;
  throw new NotFound(
    'Unknown model: GET /v1/models lists the available models',
    undefined,
    NO_MODEL,
  );
}

import { Inject, Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { NO_USAGE, type Usage } from '../../llm/completion.js';
import type { LanguageModel } from '../../llm/language-model.js';
import type { QueryRequest } from '../query.types.js';
import { EmbeddedEntities } from './embedded-entities.js';
import { otherNames, type Entity } from './entity.js';
import { ModelEntities } from './model-entities.js';

export interface RecognisedEntities {
  /** null when the question did not run through recognition. */
  readonly entities: readonly Entity[] | null;
  /** What the model failed to answer, in sentences. */
  readonly notes: readonly string[];
  /** More names for the lexical side of retrieval. */
  readonly expansion: readonly string[];
  readonly usage: Usage;
}

const NOT_ASKED: RecognisedEntities = { entities: null, notes: [], expansion: [], usage: NO_USAGE };

/** Recognises the entities of a question before retrieval, where a request or the configuration asks for it. */
@Injectable()
export class EntityService {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly byModel: ModelEntities,
    private readonly embedded: EmbeddedEntities,
  ) {}

  async recognise(
    scope: Scope,
    model: LanguageModel,
    { promptOverrides }: QueryRequest,
    question: string | null,
  ): Promise<RecognisedEntities> {
    const { entityExtraction, entityResolution } = promptOverrides;
    const asked = entityExtraction !== null || entityResolution !== null || this.settings.QUERY_ENTITIES;
    if (question === null || !asked) return NOT_ASKED;
    const { entities, notes, usage } = model.followsInstructions
      ? await this.byModel.recognise(model, question, promptOverrides)
      : {
          entities: await this.embedded.recognise(scope, question, promptOverrides),
          notes: [],
          usage: NO_USAGE,
        };
    return { entities, notes, expansion: otherNames(question, entities), usage };
  }
}

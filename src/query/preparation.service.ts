import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import type { CompletionRequest } from '../llm/completion.js';
import type { LanguageModel } from '../llm/language-model.js';
import { LanguageModels } from '../llm/language-models.js';
import type { Retrieved } from '../retrieval/retrieval.types.js';
import { assemblePrompt, type PromptParts } from './prompt/assemble.js';
import { fitPassages } from './prompt/context-budget.js';
import type { PromptPassage } from './prompt/context-block.js';
import type { QueryRequest } from './query.types.js';
import { Retriever } from './retriever.js';
import type { Stopwatch } from './stopwatch.js';

/** A question with its passages, ready for the model. */
export interface PreparedQuery {
  readonly model: LanguageModel;
  readonly completionRequest: CompletionRequest;
  readonly passages: readonly PromptPassage[];
  readonly dropped: number;
}

/** Everything that comes before the model is asked: the choice of the model, retrieval, the prompt. */
@Injectable()
export class PreparationService {
  constructor(
    private readonly models: LanguageModels,
    private readonly retriever: Retriever,
  ) {}

  async prepare(
    scope: Scope,
    request: QueryRequest,
    watch: Stopwatch,
    signal: AbortSignal,
  ): Promise<PreparedQuery> {
    const model = await this.models.for(request.llmConfig);
    const maxTokens = request.maxTokens ?? model.maxTokens;
    const { chunks } = await this.retrieve(scope, request, model, watch, signal);
    const parts = promptParts(request);
    const { passages, dropped } = await fitPassages(model, parts, maxTokens, chunks);
    const completionRequest: CompletionRequest = {
      messages: assemblePrompt(parts, passages),
      grounding: {
        question: parts.question ?? '',
        citations: parts.citations,
        passages: passages.map(({ number, chunk }) => ({ number, text: chunk.content, score: chunk.score })),
      },
      format: { kind: 'text' },
      maxTokens,
      temperature: request.temperature,
    };
    return { model, completionRequest, passages, dropped };
  }

  /** Pages come as images for a model that sees them, as their text for one that does not. */
  private async retrieve(
    scope: Scope,
    request: QueryRequest,
    model: LanguageModel,
    watch: Stopwatch,
    signal: AbortSignal,
  ): Promise<Retrieved> {
    const outputFormat = model.vision ? 'base64' : 'text';
    const retrieved = await this.retriever.retrieve(scope, { ...request.retrieval, outputFormat }, signal);
    for (const [step, milliseconds] of Object.entries(retrieved.timings)) {
      if (step !== 'total') watch.add(step, milliseconds);
    }
    return retrieved;
  }
}

function promptParts(request: QueryRequest): PromptParts {
  return {
    question: request.retrieval.query,
    questionImage: request.retrieval.queryImage,
    history: [],
    overrides: request.promptOverrides.query,
    schema: request.schema,
    // Markers inside JSON strings would be part of the values.
    citations: request.inlineCitations && request.schema === null,
  };
}

import { setImmediate } from 'node:timers/promises';
import { throwIfAborted } from '../../request/request-context.js';
import type { Completion, CompletionEvent, CompletionRequest, Usage } from '../completion.js';
import { LanguageModel } from '../language-model.js';
import type { ModelSettings } from '../model-settings.js';
import { countMessages, countTokens } from '../message-tokens.js';
import { answer } from './answer.js';

/**
 * The embedded default: answers with the best supporting sentences of the passages, without a model. Deterministic;
 * reads `grounding` and `format` alone.
 */
export class ExtractiveModel extends LanguageModel {
  readonly provider = 'extractive';
  readonly name = 'extractive';
  readonly vision = false;
  readonly followsInstructions = false;
  readonly contextWindow: number;
  readonly maxTokens: number | null;

  constructor(settings: Pick<ModelSettings, 'contextWindow' | 'maxTokens'>) {
    super();
    this.contextWindow = settings.contextWindow;
    this.maxTokens = settings.maxTokens;
  }

  async check(): Promise<void> {
    // It is part of the service.
  }

  countTokens(text: string): number {
    return countTokens(text);
  }

  async complete(request: CompletionRequest): Promise<Completion> {
    await setImmediate();
    throwIfAborted();
    const { pieces, complete } = answer(request);
    const text = pieces.join('');
    return { text, usage: usageOf(request, text), finishReason: complete ? 'stop' : 'length' };
  }

  async *stream(request: CompletionRequest): AsyncGenerator<CompletionEvent> {
    throwIfAborted();
    const { pieces, complete } = answer(request);
    for (const text of pieces) {
      yield { type: 'delta', text };
      await setImmediate();
      throwIfAborted();
    }
    yield {
      type: 'end',
      usage: usageOf(request, pieces.join('')),
      finishReason: complete ? 'stop' : 'length',
    };
  }
}

function usageOf(request: CompletionRequest, text: string): Usage {
  return {
    promptTokens: countMessages(request.messages, { countTokens }),
    completionTokens: countTokens(text),
  };
}

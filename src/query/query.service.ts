import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import type { Completion } from '../llm/completion.js';
import { CitationWriter } from './citations/citation-writer.js';
import { citableSources, citationEntries } from './citations/citations.js';
import { PreparationService, type PreparedQuery } from './preparation.service.js';
import type { CompletionResponse, CompletionSource, QueryRequest } from './query.types.js';
import { Stopwatch } from './stopwatch.js';

/** Answers questions from the documents of a scope: retrieval once, then the model. */
@Injectable()
export class QueryService {
  constructor(private readonly preparation: PreparationService) {}

  /**
   * @param signal fires when the caller leaves: the model call is cancelled.
   * @throws Invalid, ProviderFailed, TooManyRequests, DeadlineExceeded.
   */
  async complete(scope: Scope, request: QueryRequest, signal: AbortSignal): Promise<CompletionResponse> {
    const watch = new Stopwatch();
    const prepared = await this.preparation.prepare(scope, request, watch, signal);
    const { model, completionRequest } = prepared;
    const completion = await watch.time('llm', () => model.complete(completionRequest, signal));
    return respond(prepared, completion, watch);
  }
}

function respond(prepared: PreparedQuery, completion: Completion, watch: Stopwatch): CompletionResponse {
  const { text, citations } = cite(prepared, completion.text);
  const { promptTokens, completionTokens } = completion.usage;
  return {
    completion: text,
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
    finish_reason: completion.finishReason,
    sources: prepared.passages.map(({ chunk }): CompletionSource => {
      return {
        document_id: chunk.documentId,
        chunk_number: chunk.chunkNumber,
        score: chunk.isPadding ? null : chunk.score,
      };
    }),
    metadata: {
      model: prepared.model.name,
      provider: prepared.model.provider,
      context_chunks: prepared.passages.length,
      dropped_chunks: prepared.dropped,
      ...citations,
      timings_ms: watch.read(),
    },
  };
}

function cite(
  { completionRequest, passages }: PreparedQuery,
  raw: string,
): { text: string; citations: Pick<CompletionResponse['metadata'], 'citations'> } {
  if (!completionRequest.grounding.citations) return { text: raw, citations: {} };
  const writer = new CitationWriter(citableSources(passages));
  const text = writer.push(raw) + writer.end();
  return { text, citations: { citations: citationEntries(text, writer.citations) } };
}

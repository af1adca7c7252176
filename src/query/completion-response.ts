import { addUsage } from '../llm/completion.js';
import type { Answer } from './answering.service.js';
import type { PreparedQuery } from './preparation.service.js';
import type { CompletionResponse, CompletionSource, QueryRequest } from './query.types.js';

/** The answer as the wire names it. */
export function completionResponse(
  prepared: PreparedQuery,
  answer: Answer,
  { inlineCitations, explain }: Pick<QueryRequest, 'inlineCitations' | 'explain'>,
  timings: Readonly<Record<string, number>>,
): CompletionResponse {
  const { promptTokens, completionTokens } = addUsage(prepared.usage, answer.usage);
  return {
    completion: answer.completion,
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
    finish_reason: answer.finishReason,
    sources: sourcesOf(prepared),
    metadata: {
      model: prepared.model.name,
      provider: prepared.model.provider,
      context_chunks: prepared.passages.length,
      dropped_chunks: prepared.dropped,
      ...(inlineCitations ? { citations: answer.citations } : {}),
      ...(prepared.entities === null ? {} : { entities: prepared.entities }),
      timings_ms: timings,
      ...(explain ? { plan: prepared.plan } : {}),
    },
  };
}

function sourcesOf({ passages }: PreparedQuery): CompletionSource[] {
  return passages.map(({ chunk }) => ({
    document_id: chunk.documentId,
    chunk_number: chunk.chunkNumber,
    score: chunk.isPadding ? null : chunk.score,
  }));
}

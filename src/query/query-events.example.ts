import { SOURCE_EXAMPLE } from '../chats/source.example.js';

/** The events of a short answer, in the order in which they arrive; with `stream_sources`. */
export const QUERY_EVENTS = [
  { type: 'sources', sources: [SOURCE_EXAMPLE] },
  { type: 'assistant', content: 'Hold the power' },
  { type: 'assistant', content: ' button for ten seconds.' },
  {
    type: 'done',
    usage: { prompt_tokens: 812, completion_tokens: 14, total_tokens: 826 },
    finish_reason: 'stop',
    sources: [SOURCE_EXAMPLE],
    metadata: {
      model: 'gpt-4o-mini',
      provider: 'openai',
      context_chunks: 1,
      dropped_chunks: 0,
      documents_processing: 0,
      timings_ms: { embed: 6.1, db: 4.2, llm: 512.9 },
    },
  },
];

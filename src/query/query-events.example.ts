const SOURCE = {
  document_id: '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a',
  chunk_number: 3,
  score: 0.83,
  filename: 'manual.pdf',
  page_number: 3,
  is_image: false,
  excerpt: 'Hold the power button for ten seconds until the light blinks.',
};

/** The events of a short answer, in the order in which they arrive; with `stream_sources`. */
export const QUERY_EVENTS = [
  { type: 'sources', sources: [SOURCE] },
  { type: 'assistant', content: 'Hold the power' },
  { type: 'assistant', content: ' button for ten seconds.' },
  {
    type: 'done',
    usage: { prompt_tokens: 812, completion_tokens: 14, total_tokens: 826 },
    finish_reason: 'stop',
    sources: [SOURCE],
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

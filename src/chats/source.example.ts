import type { CompletionSourceDto } from './evidence.dto.js';

/** A source in examples of answers. */
export const SOURCE_EXAMPLE: CompletionSourceDto = {
  document_id: '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a',
  chunk_number: 3,
  score: 0.83,
  filename: 'manual.pdf',
  page_number: 3,
  is_image: false,
  excerpt: 'Hold the power button for ten seconds until the light blinks.',
};

import { SOURCE_EXAMPLE } from '../../chats/source.example.js';
import { TextEvent } from '../../http/event-text.js';

const chunk = (delta: object, finishReason: string | null, more: object = {}): object => ({
  id: 'chatcmpl-0199f1c2-a4d8-7e0b-9c3d-5e6f7a8b9c0d',
  created: 1_777_628_400,
  model: 'lectern',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  ...more,
});

/** The chunks of a short answer, in the order in which they arrive. */
export const COMPLETION_CHUNKS = [
  chunk({ role: 'assistant', content: '' }, null),
  chunk({ content: 'Hold the power' }, null),
  chunk({ content: ' button for ten seconds.' }, null),
  chunk({}, 'stop', {
    sources: [SOURCE_EXAMPLE],
    metadata: { model: 'gpt-4o-mini', provider: 'openai', context_chunks: '1' },
  }),
  new TextEvent('[DONE]'),
];

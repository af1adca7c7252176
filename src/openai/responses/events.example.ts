import { NamedEvent } from '../../http/event-text.js';

const ITEM = 'msg_0199f1c2a4d87e0b9c3d5e6f7a8b9c0d';
const TEXT = { type: 'output_text', annotations: [], logprobs: [] };
const ANSWER = { ...TEXT, text: 'Hold the power button.' };
const PART = { item_id: ITEM, output_index: 0, content_index: 0 };
const MESSAGE = { id: ITEM, type: 'message', role: 'assistant' };

/** A response with the members that change; others are those of the response that is not streamed. */
const response = (status: string, output: readonly object[]): object => ({
  response: {
    id: 'resp_0199f1c2a4d87e0b9c3d5e6f7a8b9c0d',
    object: 'response',
    model: 'lectern',
    status,
    output,
  },
});

const EVENTS: readonly (readonly [type: string, members: object])[] = [
  ['response.created', response('in_progress', [])],
  ['response.in_progress', response('in_progress', [])],
  [
    'response.output_item.added',
    { output_index: 0, item: { ...MESSAGE, status: 'in_progress', content: [] } },
  ],
  ['response.content_part.added', { ...PART, part: { ...TEXT, text: '' } }],
  ['response.output_text.delta', { ...PART, delta: 'Hold the power', logprobs: [] }],
  ['response.output_text.delta', { ...PART, delta: ' button.', logprobs: [] }],
  ['response.output_text.done', { ...PART, text: ANSWER.text, logprobs: [] }],
  ['response.content_part.done', { ...PART, part: ANSWER }],
  [
    'response.output_item.done',
    { output_index: 0, item: { ...MESSAGE, status: 'completed', content: [ANSWER] } },
  ],
  ['response.completed', response('completed', [{ ...MESSAGE, status: 'completed', content: [ANSWER] }])],
];

/** The events of a short answer, in the order in which they arrive. */
export const RESPONSE_EVENTS = EVENTS.map(
  ([type, members], sequence) => new NamedEvent(type, { type, sequence_number: sequence, ...members }),
);

import type { StoredTurn } from '../../chats/talk.repository.js';
import { itemOf, turnsOf, type Item, type MessagePart, type MessageRole } from './items.js';

const DOCUMENT = '0199f1c2-a4d8-7e0b-9c3d-000000000001';
const FILE = 'file-0199f1c2a4d87e0b9c3d000000000002';

const message = (role: MessageRole, ...content: MessagePart[]): Item => ({
  id: 'msg_1',
  type: 'message',
  role,
  status: 'completed',
  content,
});
const text = (words: string): MessagePart => ({ type: 'input_text', text: words });
const picture: MessagePart = { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'auto' };
const cited: MessagePart = {
  type: 'output_text',
  text: 'On Tuesday.',
  annotations: [
    {
      type: 'file_citation',
      file_id: FILE,
      filename: 'keeper.txt',
      index: 10,
      quote: 'Every Tuesday.',
      page_number: 2,
    },
  ],
  logprobs: [],
};
const search = (results: Extract<Item, { type: 'file_search_call' }>['results']): Item => ({
  id: 'fs_1',
  type: 'file_search_call',
  status: 'completed',
  queries: ['keeper'],
  results,
});
const result = {
  file_id: FILE,
  filename: 'keeper.txt',
  score: 0.7,
  text: 'Every Tuesday.',
  attributes: { n: 3 },
};

const grounds = {
  answer: new Set(['msg_1', 'fs_1']),
  documents: new Map([[FILE, DOCUMENT]]),
  quotations: [{ start: 3, end: 10, document_id: DOCUMENT }],
  model: 'extractive',
};
const stored = (items: readonly Item[]): StoredTurn[] =>
  turnsOf(items, grounds).map((turn, position) => ({ ...turn, conversationId: 'c', position }));

describe('the turn of an item', () => {
  it.each<[string, Item]>([
    ['a text', message('user', text('When?'))],
    ['an empty text', message('user', text(''))],
    ['no parts', message('user')],
    ['several parts', message('user', text('What is this?'), picture, text('Well?'))],
    ['instructions', message('developer', text('Be brief.'))],
    ['an answer with citations', message('assistant', cited)],
    ['an answer without citations', message('assistant', { ...cited, annotations: [] })],
    ['a refusal', message('assistant', { type: 'refusal', refusal: 'No.' })],
    ['a search without results', search(null)],
    ['a search with no results', search([])],
    ['a search with results', search([result])],
    [
      'a call',
      {
        id: 'fc_1',
        type: 'function_call',
        call_id: 'c',
        name: 'f',
        arguments: '{}',
        status: 'incomplete',
      },
    ],
    [
      'the output of a call',
      {
        id: 'fco_1',
        type: 'function_call_output',
        call_id: 'c',
        output: 'noon',
        status: 'completed',
      },
    ],
  ])('gives %s back as it was', (_, item) => {
    const given = stored([item]).map(itemOf);
    expect(given).toEqual([item]);
    expect(JSON.stringify(given)).toBe(JSON.stringify([item]));
  });

  it('holds words and evidence once, with the document of each file', () => {
    const turns = stored([message('assistant', cited), search([result])]);
    expect(turns).toMatchObject([
      {
        role: 'assistant',
        content: 'On Tuesday.',
        item: { content: null },
        evidence: {
          citations: [{ document_id: DOCUMENT, file_id: FILE, quote: 'Every Tuesday.', start: 10 }],
          quotations: grounds.quotations,
          model: 'extractive',
        },
      },
      {
        content: '',
        item: { results: null },
        evidence: { sources: [{ document_id: DOCUMENT, file_id: FILE, excerpt: 'Every Tuesday.' }] },
      },
    ]);
  });

  it('takes the file for the document if the document is unknown', () => {
    const [turn] = turnsOf([message('assistant', cited)]);
    expect(turn?.evidence?.citations[0]?.document_id).toBe('0199f1c2-a4d8-7e0b-9c3d-000000000002');
  });

  it('of the input has no part in the quotations of the answer', () => {
    const said = message('assistant', { ...cited, annotations: [] });
    const [turn] = turnsOf([said], { ...grounds, answer: new Set(['msg_2']) });
    expect(turn).toMatchObject({ content: 'On Tuesday.', evidence: null });
  });

  it('has the id of its item only for the first of equal items', () => {
    const item = message('user', text('When?'));
    expect(stored([item, item]).map(({ itemId }) => itemId)).toEqual(['msg_1', null]);
  });
});

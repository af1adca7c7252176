import { parseAskCommand, sourceList } from './ask.js';

describe('the arguments of lectern ask', () => {
  it('become the body of a streamed question', () => {
    const args = ['When', 'is it lit?', '--k', '6', '--folder', '/harbour', '--filter', '{"kind":"log"}'];
    const more = ['--end-user', 'ann', '--chat', 'c-1', '--url', 'http://lectern.test/', '--key', 'k'];
    expect(parseAskCommand([...args, ...more], {})).toEqual({
      request: {
        query: 'When is it lit?',
        inline_citations: true,
        k: 6,
        folder_name: '/harbour',
        folder_depth: -1,
        filters: { kind: 'log' },
        end_user_id: 'ann',
        chat_id: 'c-1',
      },
      url: 'http://lectern.test',
      key: 'k',
      keyOrigin: 'the key came from --key: set another one with --key or LECTERN_API_KEY',
    });
  });

  it('omit unset options, and read address and key from the environment', () => {
    const environment = { LECTERN_URL: 'http://lectern.test', LECTERN_API_KEY: 'e' };
    expect(parseAskCommand(['--', '--why?'], environment)).toEqual({
      request: { query: '--why?', inline_citations: true },
      url: 'http://lectern.test',
      key: 'e',
      keyOrigin: 'the key came from LECTERN_API_KEY: set another one with --key or LECTERN_API_KEY',
    });
  });

  it.each([
    [[], 'ask needs a question'],
    [['q', '--k', '0'], '--k must be an integer from 1'],
    [['q', '--filter', '{'], '--filter must be JSON'],
    [['q', '--url', 'lectern'], 'not an http(s) URL'],
  ])('%j are rejected', (args, message) => {
    expect(() => parseAskCommand(args, {})).toThrow(message);
  });
});

describe('the sources of an answer', () => {
  it('are listed by file and page, in the order of the answer', () => {
    const page = { is_image: false, excerpt: '' };
    const sources = [
      { document_id: 'b', chunk_number: 3, score: 0.8123, filename: 'report.pdf', page_number: 4, ...page },
      { document_id: 'a', chunk_number: 0, score: null, filename: 'lamp.txt', page_number: null, ...page },
      { document_id: 'c', chunk_number: 1, score: 0.5, filename: null, page_number: null, ...page },
    ];
    expect(sourceList(sources)).toEqual([
      '1. report.pdf, page 4  0.812',
      '2. lamp.txt, chunk 0',
      '3. c, chunk 1  0.500',
    ]);
  });
});

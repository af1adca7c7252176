import type { ChatTurn, Citation } from '../api/lectern.js';
import { chatMarkdown } from './chat-markdown.js';
import { speak } from '../language/translate.js';

const citation = (start: number, end: number, more: Partial<Citation> = {}): Citation => ({
  ...{ start, end, text: '[a.pdf]', document_id: 'd', chunk_number: 0 },
  ...{ filename: 'a.pdf', page_number: 2, quote: 'Two\nyears.' },
  ...more,
});
const turn = (role: ChatTurn['role'], content: string, citations: Citation[] = []): ChatTurn => ({
  ...{ role, content, citations },
  timestamp: '2026-05-01T09:30:00.000Z',
});

beforeAll(() => speak('en'));

describe('a chat as Markdown', () => {
  it('has questions as headings, and each passage once as a footnote', () => {
    const turns = [
      turn('user', 'How\nlong?'),
      turn('assistant', 'Two years [a.pdf]. Yes [b.txt] [a.pdf].', [
        citation(10, 17),
        citation(23, 30, { filename: 'b.txt', page_number: null, quote: null }),
        citation(31, 38),
      ]),
    ];
    expect(chatMarkdown('Warranty', turns)).toBe(
      '# Warranty\n\n## How long?\n\nTwo years [^1]. Yes [^2] [^1].\n\n' +
        '[^1]: a.pdf, p. 2: “Two years.”\n[^2]: b.txt\n',
    );
  });

  it('has no footnotes without citations', () => {
    expect(chatMarkdown('A', [turn('assistant', 'B')])).toBe('# A\n\nB\n');
  });
});

import { NO_CONTEXT } from '#reader';
import { chunkOf } from '../../../test/support/chunks.js';
import { EvidenceFinder } from './evidence.js';

describe('EvidenceFinder', () => {
  it('compares the rows of a continued table with their column names', () => {
    const chunk = chunkOf({
      content: '| Holm | 40 |\n\nThe keepers of a station rest on Sunday.',
      context: { ...NO_CONTEXT, table: { caption: [], header: ['Station', 'Keepers'] } },
    });
    const { quote } = new EvidenceFinder().find(chunk, 'The keepers of the station are 40.');
    expect(quote).toBe('| Holm | 40 |');
  });
});

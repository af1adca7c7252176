import { scopeOf } from '../../auth/scope.js';
import { Invalid } from '../../errors/index.js';
import { IngestFields } from './ingest.dto.js';
import { withinToken } from './token-ingest.js';

const policy = {
  uses: new Set(['ingest'] as const),
  models: [],
  maxAnswerTokens: null,
  questionsPerMinute: null,
  ownerWrites: true,
};
const tokenOf = (folder: string | null, filter: string | null) =>
  scopeOf('acme', ['write'], 'k', { policy, token: { folder, filter } });
const fieldsWith = (members: Partial<IngestFields>): IngestFields =>
  Object.assign(new IngestFields(), members);

function refused(members: Partial<IngestFields>): string[] {
  try {
    withinToken(tokenOf('/uploads', '{"audience":"public"}'), fieldsWith(members));
    return [];
  } catch (error) {
    if (error instanceof Invalid) return error.items.map(({ loc }) => loc.join('.'));
    throw error;
  }
}

describe('a document that a token adds', () => {
  it('gets the folder of the token and the values of its filter', () => {
    const added = withinToken(
      tokenOf('/uploads', '{"audience":"public"}'),
      fieldsWith({ metadata: { a: 1 }, filename: 'a.txt' }),
    );
    expect(added).toMatchObject({
      folder_name: '/uploads',
      metadata: { a: 1, audience: 'public' },
      filename: 'a.txt',
    });
    expect(added).toBeInstanceOf(IngestFields);
  });

  it('keeps the folder that it names, and is as it is for a token without a bound', () => {
    const below = withinToken(tokenOf('/uploads', null), fieldsWith({ folder_name: '/uploads/may' }));
    expect([below.folder_name, below.metadata]).toEqual(['/uploads/may', null]);
    const free = withinToken(tokenOf(null, null), fieldsWith({}));
    expect([free.folder_name, free.metadata]).toEqual([null, null]);
  });

  it('says nothing of who may read it, calls no model, and does not contradict the filter', () => {
    expect(refused({ metadata: { audience: 'public' }, rules: [] })).toEqual([]);
    expect(
      refused({
        access_control: {},
        rules: [{} as never],
        metadata: { audience: 'staff' },
        metadata_types: { audience: 'number' },
      }),
    ).toEqual([
      'body.access_control',
      'body.rules',
      'body.metadata.audience',
      'body.metadata_types.audience',
    ]);
  });

  it('of a key is as it is', () => {
    const fields = fieldsWith({ rules: [] });
    expect(withinToken(scopeOf('acme', ['write'], 'k'), fields)).toBe(fields);
  });
});

import { speak } from '../language/translate.js';
import { linksAsCsv, peopleIn } from './people-in.js';

beforeAll(() => speak('en'));

/** @param active who has access already */
const invitedIn = (text: string, active: readonly string[] = []): { name: string; id: string }[] =>
  peopleIn(text, new Set(active), new Set(active)).map(({ name, id, problem }) => {
    expect([name, problem]).toEqual([name, null]);
    return { name, id };
  });

describe('people in a pasted list', () => {
  it('have a name and an identifier, which is made of the name if it is absent', () => {
    const text = 'Name;Id\r\nAnn Lee\n\nBert Ray; bert\n"Cleo Fay"\tcleo\nAnn Lee';
    expect(invitedIn(text, ['cleo-fay'])).toEqual([
      { name: 'Ann Lee', id: 'ann-lee' },
      { name: 'Bert Ray', id: 'bert' },
      { name: 'Cleo Fay', id: 'cleo' },
      { name: 'Ann Lee', id: 'ann-lee-2' },
    ]);
    expect(invitedIn('Ann Lee', ['ann-lee'])).toEqual([{ name: 'Ann Lee', id: 'ann-lee-2' }]);
    expect(peopleIn('  \n, ;\n', new Set(), new Set())).toEqual([]);
  });

  it('may be copied from a mail program', () => {
    const text =
      '"Lee, Ann" <ann@example.org>; Bert Ray <bert@example.org>, <cleo@example.org>\nDan Oak; dan';
    expect(invitedIn(text)).toEqual([
      { name: 'Ann Lee', id: 'ann@example.org' },
      { name: 'Bert Ray', id: 'bert@example.org' },
      { name: 'cleo@example.org', id: 'cleo@example.org' },
      { name: 'Dan Oak', id: 'dan' },
    ]);
  });

  it('are left out with the reason if they cannot be invited', () => {
    const many = Array.from({ length: 201 }, (_, index) => `P ${index}; p${index}`).join('\n');
    const problems = (text: string): (string | null)[] =>
      peopleIn(text, new Set(['ann', 'old']), new Set(['ann'])).map(({ problem }) => problem);
    expect(problems('Ann; ann\nOld; old\nBert; bert\nBert Ray; bert\n; cleo\nDan; dan; sales')).toEqual([
      'active',
      null,
      null,
      'twice',
      'noName',
      'columns',
    ]);
    expect(problems(`${'n'.repeat(201)}; n\nN; ${'n'.repeat(257)}`)).toEqual(['longName', 'longId']);
    expect(problems(many).filter((problem) => problem !== null)).toEqual(['tooMany']);
  });

  it.each([
    ['Ann Lee, ann@example.org\nann@example.org', 'Ann Lee'],
    ['ann@example.org\nAnn Lee; ann@example.org', 'ann@example.org'],
    ['ann@example.org\nAnn@Example.org', 'ann@example.org'],
    ['Ann Lee <ann@example.org>\n<ann@example.org>', 'Ann Lee'],
  ])('are invited once by an address that is repeated: %j', (text, name) => {
    const [first, second, ...more] = peopleIn(text, new Set(), new Set());
    expect(first).toEqual({ name, id: 'ann@example.org', problem: null });
    expect(second).toMatchObject({ problem: 'twice' });
    expect(more).toEqual([]);
    const one = peopleIn('ann@example.org', new Set(['ann@example.org']), new Set(['ann@example.org']));
    expect(one).toMatchObject([{ id: 'ann@example.org', problem: 'active' }]);
  });

  it('get a table of links in which no name is a formula', () => {
    const people = [{ name: '=1+"x"', end_user_id: 'x', url: 'https://l/#/sign-in/c' }];
    expect(linksAsCsv(people)).toBe(
      '"Name","Identifier","Link"\r\n"\'=1+""x""","x","https://l/#/sign-in/c"\r\n',
    );
  });
});

import type { Language } from './languages.js';
import { listText, openListText } from './quantities.js';
import { speak, t } from './translate.js';

describe('names in a list', () => {
  const more = async (language: Language, names: readonly string[]): Promise<string> => {
    await speak(language);
    return t('who.more', { names: openListText(names), count: 3 });
  };

  it('have one "and" if others follow', async () => {
    expect(await more('en', ['Ann', 'sales'])).toBe('Ann, sales and 3 more');
    expect(await more('de', ['Ann', 'sales'])).toBe('Ann, sales und 3 weitere');
    expect(await more('fr', ['Ann'])).toBe('Ann et 3 de plus');
    expect(await more('zh', ['安', '李'])).toContain('安、李');
  });

  it('keep their own direction in a text from right to left', async () => {
    await speak('ar');
    const isolated = (name: string): string => `\u2068${name}\u2069`;
    for (const list of [listText, openListText]) {
      expect(list(['Ann Lee', 'أحمد'])).toContain(isolated('Ann Lee'));
      expect(list(['Ann Lee', 'أحمد'])).toContain(isolated('أحمد'));
    }
  });
});

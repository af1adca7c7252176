import { Logger } from '@nestjs/common';
import { Readability, type Unreadable } from './readability.js';
import { languageOf, UnreadTexts } from './unread-language.js';

describe('texts that the English model does not read', () => {
  let warned: jest.SpyInstance;
  let texts: UnreadTexts;
  beforeEach(async () => {
    warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const readability = await Readability.of('word-piece', 'every');
    const unreadable = (text: string): Unreadable => readability.unreadable(text);
    texts = new UnreadTexts({ model: 'local/all-MiniLM-L6-v2', unreadable });
  });
  afterEach(() => {
    warned.mockRestore();
  });

  it('are told once, with the line to set', () => {
    for (let n = 0; n < 19; n++) texts.look(['Товары могут оставаться в порту тридцать дней.']);
    expect(warned).not.toHaveBeenCalled();
    for (let n = 0; n < 30; n++) texts.look(['Товары могут оставаться в порту тридцать дней.']);
    expect(warned.mock.calls).toEqual([
      [
        expect.stringMatching(
          /seem to be in Russian .* EMBEDDING_MODEL=local-multilingual and run "lectern reindex"/,
        ),
      ],
    ]);
  });

  it('are not told among English ones', () => {
    for (let n = 0; n < 40; n++) {
      texts.look([n % 4 === 0 ? 'Товары в порту' : 'Goods may stay in the port for thirty days.']);
    }
    expect(warned).not.toHaveBeenCalled();
  });

  it.each([
    ['貨物は港にどのくらい置けますか', 'Japanese'],
    ['货物可以在港口停留多长时间', 'Chinese'],
    ['화물은 항구에 얼마나 머물 수 있습니까', 'Korean'],
    ['สินค้าสามารถอยู่ในท่าเรือ', 'Thai'],
    ['ERR_3F2A91 PX-4410-B7', 'a language other than English'],
  ])('%s are in %s', (text, language) => {
    expect(languageOf(text)).toBe(language);
  });
});

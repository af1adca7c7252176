import { Logger } from '@nestjs/common';
import { Readability, type Unreadable } from './readability.js';
import { languageOf, LanguageMonitor } from './unsupported-language.js';

describe('LanguageMonitor', () => {
  let warned: jest.SpyInstance;
  let monitor: LanguageMonitor;
  beforeEach(async () => {
    warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const readability = await Readability.of('word-piece', 'every');
    const unreadable = (text: string): Promise<Unreadable> => Promise.resolve(readability.unreadable(text));
    monitor = new LanguageMonitor({ model: 'local/all-MiniLM-L6-v2', unreadable });
  });
  afterEach(() => {
    warned.mockRestore();
  });

  it('warns once, with the setting to change', async () => {
    for (let n = 0; n < 19; n++) await monitor.sample(['Товары могут оставаться в порту тридцать дней.']);
    expect(warned).not.toHaveBeenCalled();
    for (let n = 0; n < 30; n++) await monitor.sample(['Товары могут оставаться в порту тридцать дней.']);
    expect(warned.mock.calls).toEqual([
      [
        expect.stringMatching(
          /seem to be in Russian .* EMBEDDING_MODEL=local-multilingual and run "lectern reindex"/,
        ),
      ],
    ]);
  });

  it('does not warn if most texts are English', async () => {
    for (let n = 0; n < 40; n++) {
      await monitor.sample([n % 4 === 0 ? 'Товары в порту' : 'Goods may stay in the port for thirty days.']);
    }
    expect(warned).not.toHaveBeenCalled();
  });

  it.each([
    ['貨物は港にどのくらい置けますか', 'Japanese'],
    ['货物可以在港口停留多长时间', 'Chinese'],
    ['화물은 항구에 얼마나 머물 수 있습니까', 'Korean'],
    ['สินค้าสามารถอยู่ในท่าเรือ', 'Thai'],
    ['ERR_3F2A91 PX-4410-B7', 'a language other than English'],
  ])('detects the language of %s: %s', (text, language) => {
    expect(languageOf(text)).toBe(language);
  });
});

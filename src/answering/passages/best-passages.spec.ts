import { NO_CONTEXT } from '#reader';
import { chunkOf } from '../../../test/support/chunks.js';
import { WordVectors } from '../../../test/support/word-vectors.js';
import { runInContext } from '../../request/request-context.js';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';
import { BestPassages } from './best-passages.js';

describe('the best passages', () => {
  const model = new WordVectors();
  const quote = async (
    question: string,
    chunks: readonly Partial<RetrievedChunk>[],
    maxTokens: number | null = null,
    previous = '',
  ) => {
    const passages = chunks.map((chunk, index) => {
      return { number: index + 1, asImage: false, chunk: chunkOf({ score: 0.6, ...chunk }) };
    });
    const found = await new BestPassages(model).quote(question, passages, maxTokens, previous);
    return { ...found, texts: found.quotations.map(({ text }) => text) };
  };

  it('are whole sentences, and only the best sentence if its score is clearly higher', async () => {
    const content = 'Water is kept out. The red lamp\nof the pump stays lit, e.g. Sundays. The pump hums.';
    const { texts, quotations } = await quote('When does the red lamp of the pump stay lit?', [{ content }]);
    expect(texts).toEqual(['The red lamp of the pump stays lit, e.g. Sundays.']);
    expect(quotations[0]?.quote).toBe('The red lamp\nof the pump stays lit, e.g. Sundays.');
  });

  it('are two sentences if the second is about as good, without repetition', async () => {
    const first = { content: 'The blue lamp is bright. Other lamps are dim.' };
    const second = { content: 'The BLUE lamp is bright. The blue lamp is dim.', chunkNumber: 1 };
    const { texts, quotations } = await quote('Is the blue lamp bright or dim?', [first, second]);
    expect(texts).toEqual(['The blue lamp is bright.', 'The blue lamp is dim.']);
    expect(quotations.map(({ passage }) => passage.number)).toEqual([1, 2]);
  });

  it('come from the higher-ranked of equal chunks', async () => {
    const { texts } = await quote('Which lamp is bright?', [
      { content: 'A lamp is bright, said Ann.', score: 0.3 },
      { content: 'A lamp is bright, said Bob.', score: 0.9, chunkNumber: 1 },
    ]);
    expect(texts).toEqual(['A lamp is bright, said Bob.']);
  });

  it('are rows with the names of their columns, even if an earlier chunk has the header', async () => {
    const content = '| Pump 776 | 341 | 441 |\n| Pump 777 | 349 | 449 |';
    const table = { caption: ['Pumps'], header: ['Pump', 'Gross weight', 'Net weight'] };
    const context = { ...NO_CONTEXT, table };
    const { texts } = await quote('What is the net weight of Pump 777?', [{ content, context }]);
    expect(texts[0]).toBe('Pump: Pump 777; Gross weight: 349; Net weight: 449');
  });

  it('find a compound by its parts', async () => {
    const content = 'Alle haben 30 Tage Urlaub im Jahr. Die Lampe brennt.';
    const { texts } = await quote('Alle Urlaubstage im Jahr?', [{ content }]);
    expect(texts).toEqual(['Alle haben 30 Tage Urlaub im Jahr.']);
  });

  it('have a number if the question asks for one', async () => {
    const content = 'The employees of Northwind sing. Northwind has 412 employees and a canteen.';
    const { texts } = await quote('How many employees does Northwind have?', [{ content }]);
    expect(texts[0]).toBe('Northwind has 412 employees and a canteen.');
  });

  it('are the beginning of a document whose name the question repeats', async () => {
    const { texts, quotations } = await quote('Summarise the travel policy', [
      { content: 'A summary of the menu hangs at the door.', filename: 'cafeteria.txt', documentId: 'a' },
      {
        content: 'Employees book trains. Flights need approval. Hotels are cheap.',
        filename: 'travel-policy.txt',
        documentId: 'b',
      },
    ]);
    expect(texts).toEqual(['Employees book trains.', 'Flights need approval.']);
    expect(quotations.map(({ passage }) => passage.number)).toEqual([2, 2]);
  });

  it.each([
    ['Who is the president of Brazil?', 'The pump hums. It is red.'],
    ['Who is it?', 'The pump hums.'],
    ['How loud is the pump?', '  \n\n'],
  ])('are empty for %p, which matches nothing', async (question, content) => {
    await expect(quote(question, [{ content }])).resolves.toMatchObject({ texts: [], isCut: false });
    await expect(quote(question, [])).resolves.toMatchObject({ texts: [] });
  });

  it('are empty without common words, even if the embeddings are similar', async () => {
    const near = jest.spyOn(model, 'embed').mockImplementation((texts) => {
      return Promise.resolve(texts.map(() => Float32Array.of(1, 0)));
    });
    await expect(quote('法国的首都是哪里？', [{ content: '保修期为两年。' }])).resolves.toMatchObject({
      texts: [],
    });
    await expect(quote('保修期多长？', [{ content: '保修期为两年。' }])).resolves.toMatchObject({
      texts: ['保修期为两年。'],
    });
    near.mockRestore();
  });

  it.each([
    ['How many staff does Tesla have?', 'We have nine staff.', []],
    ['how many staff does tesla have', 'We have nine staff.', []],
    ['How many staff does Tesla have?', 'Tesla has nine staff.', ['Tesla has nine staff.']],
    ['How many staff were there in 1997?', 'There were nine staff in 2021.', []],
    ['Wie viele Filialen hat Tesla?', 'Die Kette hat neun Filialen.', []],
    ['Сколько магазинов у Теслы?', 'У сети девять магазинов.', []],
    ['¿Cuántas tiendas tiene Tesla?', 'La cadena tiene nueve tiendas.', []],
  ])('of %p in %p', async (question, content, expected) => {
    await expect(quote(question, [{ content }])).resolves.toMatchObject({ texts: expected });
  });

  it('come from the passage of the document that the question names', async () => {
    const { texts } = await quote('How many staff does Tesla have?', [
      { content: 'We have nine staff.', filename: 'acme.pdf', score: 0.9 },
      { content: 'We have five staff.', filename: 'tesla.pdf', chunkNumber: 1 },
    ]);
    expect(texts).toEqual(['We have five staff.']);
  });

  it('differ from the previous answer if other sentences are about as good', async () => {
    const content = 'The last boat in winter leaves at noon. The last boat in summer leaves at nine.';
    const question = 'And the last boat in summer or winter?';
    const first = await quote(question, [{ content }]);
    const second = await quote(question, [{ content }], null, `${first.texts[0]} [boats.md]`);
    expect(second.texts[0]).not.toBe(first.texts[0]);
    expect(second.isRepeated).toBe(false);
    const third = await quote(question, [{ content }], null, content);
    expect(third).toMatchObject({ texts: first.texts, isRepeated: true });
    const off = { content: 'The boat is blue.', chunkNumber: 1 };
    const fourth = await quote(question, [{ content }, off], null, content);
    expect(fourth).toMatchObject({ texts: first.texts, isRepeated: true });
  });

  it('exclude lines that only repeat the question', async () => {
    const content = 'Weight of the pump\n\nThe weight of the pump is 3 kg.';
    const { texts } = await quote('What is the weight of the pump?', [{ content }]);
    expect(texts).toEqual(['The weight of the pump is 3 kg.']);
  });

  it('are omitted, not truncated, if they do not fit', async () => {
    const content = 'The blue lamp is bright. The blue lamp is dim.';
    const question = 'Is the blue lamp bright or dim?';
    await expect(quote(question, [{ content }], 8)).resolves.toMatchObject({
      texts: ['The blue lamp is bright.'],
      isCut: true,
    });
    await expect(quote(question, [{ content }], 2)).resolves.toMatchObject({ texts: [], isCut: true });
  });

  it('embed only the question and eight sentences', async () => {
    const embed = jest.spyOn(model, 'embed');
    const content = Array.from({ length: 50 }, (_, index) => `Lamp ${index} is lit.`).join(' ');
    await expect(quote('Is lamp 7 lit?', [{ content }])).resolves.toMatchObject({
      texts: ['Lamp 7 is lit.'],
    });
    expect(embed.mock.calls.map(([texts]) => texts.length)).toEqual([9]);
    embed.mockRestore();
  });

  it('stop when the caller disconnects', async () => {
    const chunks = Array.from({ length: 10 }, (_, chunkNumber) => {
      return { chunkNumber, content: `Lamp ${chunkNumber} is lit. `.repeat(500) };
    });
    const left = new Error('left');
    await expect(runInContext(AbortSignal.abort(left), () => quote('Is it lit?', chunks))).rejects.toBe(left);
  });
});

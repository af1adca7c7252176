import { ingest } from '../ingest.mjs';
import { openHome } from '../service.mjs';
import { readReadmes } from '../readmes.mjs';
import { searchByWords } from '../words-alone.mjs';

const EACH = Number(process.env.BENCH_QUESTIONS ?? 400);
const K = 10;

const QUESTIONS = {
  'a name alone': (name) => name,
  'in a question': (name) => `How do I use ${name}?`,
  'in a long question': (name) =>
    `I was reading through the code of a colleague and came across ${name} in one of the files. Could you explain what it refers to, and when I would need it?`,
};

/**
 * Measures retrieval of paragraphs from the READMEs of the installed packages. No rule of the service was tuned on
 * these READMEs.
 */
export const readmes = {
  name: 'readmes',
  about:
    'retrieval of README paragraphs of the installed packages by their headings and by names that they contain',

  async run({ databaseUrl, say }) {
    const { passages, headings, names } = readReadmes(EACH);
    const asked = {
      'their heading': headings,
      ...Object.fromEntries(
        Object.entries(QUESTIONS).map(([kind, questionOf]) => [
          kind,
          names.map(({ text, passage }) => ({ text: questionOf(text), passage })),
        ]),
      ),
    };
    const home = await openHome(databaseUrl);
    const rows = [];
    try {
      let service = await home.start();
      say(`ingesting ${passages.length} paragraphs`);
      await ingest(
        service,
        passages.map(({ id, text }) => ({ content: text, filename: id })),
      );
      const search = async (query) =>
        (await service.call('/retrieve/chunks', { query, k: K })).map(({ filename }) => filename);
      rows.push(['hybrid', ...(await ranks(asked, search))]);
      await service.stop();
      service = await home.start({ RETRIEVAL: 'dense' });
      rows.push(['vectors alone', ...(await ranks(asked, search))]);
      await service.stop();
      const words = await searchByWords(home);
      const byWords = async (query) => (await words.search(query)).slice(0, K).map(([name]) => name);
      rows.push(['words alone', ...(await ranks(asked, byWords))]);
      await words.close();
    } finally {
      await home.close();
    }
    return {
      sizes: { paragraphs: passages.length, headings: headings.length, names: names.length },
      columns: ['ranking (first, MRR@10)', ...Object.keys(asked)],
      rows,
    };
  },
};

/** Measures for each kind of question how often its paragraph ranks first, and MRR@10. */
async function ranks(asked, search) {
  const cells = [];
  for (const questions of Object.values(asked)) {
    let first = 0;
    let reciprocal = 0;
    for (const { text, passage } of questions) {
      const at = (await search(text)).indexOf(passage);
      if (at === 0) first += 1;
      if (at >= 0) reciprocal += 1 / (at + 1);
    }
    cells.push(`${(first / questions.length).toFixed(3)}, ${(reciprocal / questions.length).toFixed(3)}`);
  }
  return cells;
}

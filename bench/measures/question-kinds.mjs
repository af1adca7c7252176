import { faultManual, faultQuestions } from '../fault-manual.mjs';
import { ingest } from '../ingest.mjs';
import { openHome } from '../service.mjs';

const K = 4;

/** Identifiers, pasted messages and logs, asked of a manual whose documents are much alike. */
export const questionKinds = {
  name: 'question-kinds',
  about:
    'how often the right one of 96 like documents comes first, or among four, by the kind of the question',

  async run({ databaseUrl, say }) {
    const manual = faultManual();
    const home = await openHome(databaseUrl);
    try {
      const service = await home.start();
      await ingest(
        service,
        manual.map(({ text }, index) => ({ content: text, filename: `fault ${index}` })),
      );
      const rows = [];
      for (const [kind, questionOf] of Object.entries(faultQuestions())) {
        say(kind);
        const ranks = [];
        for (const [index, fault] of manual.entries()) {
          const found = await service.call('/retrieve/chunks', { query: questionOf(fault), k: K });
          ranks.push(found.findIndex(({ filename }) => filename === `fault ${index}`));
        }
        const share = (isRight) => ranks.filter(isRight).length / ranks.length;
        rows.push([kind, share((rank) => rank === 0), share((rank) => rank >= 0)]);
      }
      return {
        sizes: { documents: manual.length },
        columns: ['question', 'first', 'among four'],
        rows,
      };
    } finally {
      await home.close();
    }
  },
};

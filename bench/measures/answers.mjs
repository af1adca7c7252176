import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { says } from '../../dist/cli/evaluation.js';
import { ingestFiles } from '../ingest.mjs';
import { openHome } from '../service.mjs';

const QUESTIONS = new URL('../questions/answers.jsonl', import.meta.url);
const FOLDERS = [
  ['../../demo/documents/', ['ferry-visitor-information.html', 'greenhouse-controller-manual.md']],
  ['../../demo/documents/', ['observatory-annual-report-2025.pdf']],
  [
    '../../test/fixtures/documents/',
    ['walden.txt', 'notes.md', 'levels.tsv', 'budget.xlsx', 'long-table.csv'],
  ],
  ['../../test/fixtures/documents/', ['page.html', 'minutes.docx']],
];

/** Questions about the demo's documents and some fixtures, to the default answerer. */
export const answers = {
  name: 'answers',
  about:
    'how often the default answerer says the answer to questions about the demo and fixtures, and in how many words',

  async run({ databaseUrl, say }) {
    const lines = readFileSync(QUESTIONS, 'utf8').trim().split('\n');
    const home = await openHome(databaseUrl);
    try {
      const service = await home.start();
      for (const [folder, files] of FOLDERS) {
        await ingestFiles(service, { folder: fileURLToPath(new URL(folder, import.meta.url)), files });
      }
      const asked = [];
      for (const { question, answer } of lines.map((line) => JSON.parse(line))) {
        const { completion } = await service.call('/query', { query: question });
        const said = [answer].flat().some((one) => says(completion, one));
        if (!said) say(`not said: ${question} -> ${completion}`);
        asked.push({ said, words: completion.match(/\S+/g)?.length ?? 0 });
      }
      const words = asked.map((one) => one.words).sort((a, b) => a - b);
      return {
        sizes: { questions: asked.length },
        columns: ['answerer', 'containment', 'words, mean', 'words, median', 'words, longest'],
        rows: [['extractive', share(asked), mean(words), words[Math.floor(words.length / 2)], words.at(-1)]],
      };
    } finally {
      await home.close();
    }
  },
};

function share(asked) {
  return asked.filter(({ said }) => said).length / asked.length;
}

function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

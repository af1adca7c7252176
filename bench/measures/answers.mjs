import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { says } from '../../dist/cli/evaluation.js';
import { ingestFiles } from '../ingest.mjs';
import { openHome } from '../service.mjs';

/** Held-out questions, described in their README.md. */
const SET = fileURLToPath(new URL('../questions/heldout/', import.meta.url));

/**
 * Measures answers without a language model to held-out questions, once with a search in all texts and once with a
 * search in the right text only.
 */
export const answers = {
  name: 'answers',
  about:
    'answers without a language model to held-out questions: how often they contain the expected words, how long they are, and how often there is none',

  async run({ databaseUrl, say }) {
    const questions = readFileSync(join(SET, 'questions.jsonl'), 'utf8').trim().split('\n').map(JSON.parse);
    const home = await openHome(databaseUrl);
    try {
      const service = await home.start();
      const folder = join(SET, 'texts');
      await ingestFiles(service, { folder, files: readdirSync(folder) });
      const rows = [];
      for (const among of ['all texts', 'its text']) {
        say(`asking ${questions.length} questions of ${among}`);
        const asked = [];
        for (const { kind, file, question, answers } of questions) {
          if (file === null && among === 'its text') continue;
          const filters = among === 'its text' ? { filters: { filename: file } } : {};
          const body = { query: question, inline_citations: true, ...filters };
          const { completion, metadata } = await service.call('/query', body);
          const text = withoutCitations(completion, metadata.citations);
          asked.push({
            kind,
            said: answers.some((answer) => says(text, answer)),
            // A refusal is recognised by its lack of citations, because every answer has a source.
            refused: metadata.citations.length === 0,
            words: text.match(/\S+/g)?.length ?? 0,
            milliseconds: metadata.timings_ms.llm,
          });
        }
        for (const kind of new Set(asked.map((one) => one.kind))) {
          rows.push([
            among,
            ...rowOf(
              kind,
              asked.filter((one) => one.kind === kind),
            ),
          ]);
        }
      }
      return {
        sizes: { questions: questions.length },
        columns: ['asked of', 'kind', 'questions', 'contains the answer', 'words, mean', 'refused', 'p50 ms'],
        rows,
      };
    } finally {
      await home.close();
    }
  },
};

function withoutCitations(text, citations) {
  return citations.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text);
}

function rowOf(kind, asked) {
  const share = (of) => asked.filter(of).length / asked.length;
  const isAnswerable = kind !== 'unanswerable' && kind !== 'offtopic';
  const answered = asked.filter(({ refused }) => !refused);
  const words = answered.reduce((sum, one) => sum + one.words, 0) / answered.length;
  const times = asked.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  return [
    kind,
    asked.length,
    isAnswerable ? share(({ said }) => said) : '',
    words,
    share(({ refused }) => refused),
    Math.round(times[Math.floor(times.length / 2)]),
  ];
}

import { datasets, readDataset } from '../dataset.mjs';
import { ingest } from '../ingest.mjs';
import { BUNDLED, startHostedModel } from '../models.mjs';
import { randomSource } from '../random-source.mjs';
import { openHome } from '../service.mjs';
import { searchByWords } from '../words-alone.mjs';

const COLLECTION = 'msmarco5k';
const PASSAGES = Number(process.env.BENCH_PASSAGES ?? 5_000);
/** Number of identifiers per shape. */
const EACH = Number(process.env.BENCH_IDENTIFIERS ?? 20);

/**
 * Shapes of identifiers: Λ is a capital letter, λ a small letter, δ a digit, and η a hexadecimal digit. All other
 * characters are literal.
 */
const SHAPES = {
  'error code': 'ΛΛΛ_δηδΛδδ',
  'part number': 'ΛΛ-δδδδ-Λδ',
  'short code': 'Λ-δδδδ',
  uuid: 'ηηηηηηηη-ηηηη-4ηηη-aηηη-ηηηηηηηηηηηη',
  'file name': 'λλλλ_λλλ_vδ.yaml',
  version: 'vδ.δδ.δ-rcδ',
  hash: 'ηηηηηηηηηη',
  'camel case': 'λλλλΛλλλΛλλ',
  'dotted path': 'λλλ.λλλλλ.λλλδ',
  address: 'δδ.δδ.δ.δδδ',
  'serial number': 'ΛΛδδΛδδδδδδδ',
  'order number': 'δδδδ-δδδδδδδ',
  'snake case': 'λλλλ_λλλλ_λλ',
  'e-mail address': 'λλλλ.λλλδ@λλλλλ.com',
  token: 'λΛδλΛδλλΛΛδδ',
};
const ALPHABETS = {
  η: '0123456789abcdef',
  Λ: 'ABCDEFGHJKLMNPQRSTUVWXYZ',
  λ: 'bcdfghjklmnpqrstvwxz',
  δ: '123456789',
};

const QUESTIONS = {
  alone: [(id) => id],
  'in a question': [
    (id) => `What does ${id} mean?`,
    (id) => `Where is ${id} described?`,
    (id) => `Tell me about ${id}`,
    (id) => `which document mentions ${id} and why`,
  ],
  'in a long question': [
    (id) =>
      `Since this morning our customers have been asking about ${id}, and nobody in the team can say what it is: what do our documents say about it, and is there anything that we have to do before the weekend?`,
    (id) =>
      `I was going through the report that the supplier sent us last month and came across ${id} in one of the tables. Could you explain what it refers to and who is responsible for it?`,
    (id) =>
      `We are preparing the yearly review of the plant and need every passage in which ${id} is mentioned, with the date, the place and the people who worked on it, so that we can compare it with the previous year.`,
  ],
};

/** Measures retrieval by identifier: how often the passage that contains the identifier ranks first. */
export const identifiers = {
  name: 'identifiers',
  about: `${Object.keys(SHAPES).length} shapes of identifiers inserted into passages: how often the passage ranks first for the identifier alone, in a question and in a long question`,

  async run({ databaseUrl, say }) {
    const collection = readDataset(COLLECTION);
    if (collection === undefined) {
      return { skipped: `${COLLECTION} is not in ${datasets}; set LECTERN_DATASETS` };
    }
    const passages = collection.documents.slice(0, PASSAGES);
    const planted = plant(passages);
    const rows = [];
    const perShape = [];
    const hosted = await startHostedModel();
    try {
      for (const [model, settings] of [...BUNDLED, ['hosted (fake)', hosted.settings]]) {
        const home = await openHome(databaseUrl);
        try {
          say(`${model}: ingesting ${passages.length} passages`);
          const service = await home.start(settings);
          await ingest(
            service,
            passages.map(({ id, text }) => ({ content: text, filename: id })),
          );
          const fused = async (query) =>
            (await service.call('/retrieve/chunks', { query, k: 1 }))[0]?.filename;
          const found = await firsts(planted, fused);
          rows.push([model, ...found.shares]);
          perShape.push(`${model}, in a question: ${found.misses.join(', ') || 'none missed'}`);
          await service.stop();
          if (model !== 'local') continue;
          const words = await searchByWords(home);
          rows.push([
            'words alone',
            ...(await firsts(planted, async (query) => (await words.search(query))[0]?.[0])).shares,
          ]);
          await words.close();
        } finally {
          await home.close();
        }
      }
    } finally {
      await hosted.close();
    }
    return {
      sizes: { passages: passages.length, identifiers: planted.length, shapes: Object.keys(SHAPES).length },
      columns: ['model', ...Object.keys(QUESTIONS)],
      rows,
      ratios: perShape,
    };
  },
};

/** Changes the passages: inserts identifiers of all shapes, each in the middle of a different passage. */
function plant(passages) {
  const random = randomSource(33);
  const shapes = Object.entries(SHAPES);
  const count = Math.min(EACH * shapes.length, passages.length);
  const step = Math.floor(passages.length / count);
  return Array.from({ length: count }, (_, index) => {
    const [shape, pattern] = shapes[index % shapes.length];
    const id = pattern.replaceAll(/[ηΛλδ]/g, (kind) => {
      const alphabet = ALPHABETS[kind];
      return alphabet[Math.floor(random() * alphabet.length)];
    });
    const passage = passages[index * step];
    const words = passage.text.split(' ');
    words.splice(Math.ceil(words.length / 2), 0, id);
    passage.text = words.join(' ');
    return { shape, id, passage: passage.id };
  });
}

/** @param first function from a question to the top result */
async function firsts(planted, first) {
  const shares = [];
  const missed = new Map();
  for (const [kind, templates] of Object.entries(QUESTIONS)) {
    let right = 0;
    for (const [index, { shape, id, passage }] of planted.entries()) {
      if ((await first(templates[index % templates.length](id))) === passage) right += 1;
      else if (kind === 'in a question') missed.set(shape, (missed.get(shape) ?? 0) + 1);
    }
    shares.push(right / planted.length);
  }
  return { shares, misses: [...missed].map(([shape, count]) => `${shape} ${count} missed`) };
}

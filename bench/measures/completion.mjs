import { setTimeout as pause } from 'node:timers/promises';
import OpenAI from 'openai';
import { startFakeCompletions } from '../fake-completions.mjs';
import { ingest } from '../ingest.mjs';
import { percentile } from '../report.mjs';
import { megabytesOf, openHome } from '../service.mjs';
import { randomSource } from '../random-source.mjs';
import { question, topicText } from '../synthetic-corpus.mjs';
import { DIMENSIONS, settingsFor } from '../topic-embeddings.mjs';
import { startFakeEmbeddings } from '../../test/support/fake-embeddings.mjs';

const DOCUMENTS = 500;
const WARM_UP = 30;
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 200);
const FIRST_MS = 50;
const GAP_MS = 5;
const TOKENS = 40;
const MODEL = `${FIRST_MS}/${GAP_MS}/${TOKENS}`;
const STREAMS = Number(process.env.BENCH_STREAMS ?? 500);
/** Slow enough for all streams to be open at once. */
const SLOW_MODEL = '100/500/120';

/**
 * Measures the time that a completion takes in addition to the model and retrieval, and the memory of many open
 * streams.
 */
export const completion = {
  name: 'completion',
  about: 'time to first token and total over a fake provider of known delay; memory of open streams',

  async run({ databaseUrl, say }) {
    const [provider, embeddings] = await Promise.all([
      startFakeCompletions(),
      startFakeEmbeddings({ dimensions: DIMENSIONS }),
    ]);
    const home = await openHome(databaseUrl);
    const service = await home.start({
      LLM_MODEL: `openai/${MODEL}`,
      LLM_API_BASE: provider.url,
      LLM_API_KEY: 'none',
      ...settingsFor(embeddings),
    });
    try {
      say('ingesting');
      const random = randomSource(5);
      const text = () => topicText(Math.floor(random() * 200), 150, random);
      await ingest(
        service,
        Array.from({ length: DOCUMENTS }, () => ({ content: text() })),
      );
      const times = await measureRequests(service, provider, random, say);
      const memory = await measureStreams(service, say);
      return report(times, memory);
    } finally {
      await service.stop();
      await home.close();
      await Promise.all([provider.close(), embeddings.close()]);
    }
  },
};

/**
 * Measures four sides in turn for each question: the provider, retrieval, POST /query, and /v1. The provider and /v1
 * are called with the same client library.
 */
async function measureRequests(service, provider, random, say) {
  const direct = new OpenAI({ apiKey: 'none', baseURL: provider.url, maxRetries: 0 });
  const door = new OpenAI({ apiKey: service.key, baseURL: `${service.base}/v1`, maxRetries: 0 });
  const times = { direct: [], retrieval: [], query: [], door: [] };
  for (let number = -WARM_UP; number < REQUESTS; number += 1) {
    if (number % 50 === 0) say(`${number} of ${REQUESTS} requests`);
    const query = question(random);
    await service.call('/retrieve/chunks', { query, k: 4 }); // caches the query vector
    const messages = await promptOf(service, provider, query);
    const sides = [
      ['retrieval', () => timedRetrieval(service, query)],
      ['direct', () => timedClient(direct, { model: MODEL, messages })],
      ['query', () => timedQuery(service, query)],
      ['door', () => timedClient(door, { model: 'lectern', messages: [{ role: 'user', content: query }] })],
    ];
    // The first call after a pause is slower, so the order rotates and every side is first equally often.
    const shift = (number + WARM_UP) % sides.length;
    for (const [name, measure] of [...sides.slice(shift), ...sides.slice(0, shift)]) {
      const time = await measure();
      if (number >= 0) times[name].push(time);
    }
  }
  return times;
}

/** The prompt that the service sends for a question. */
async function promptOf(service, provider, query) {
  const response = await post(service, '/query', { query, stream_response: true });
  await response.text();
  return provider.last();
}

async function timedRetrieval(service, query) {
  const begun = performance.now();
  await service.call('/retrieve/chunks', { query, k: 4 });
  const total = performance.now() - begun;
  return { first: total, total };
}

async function timedClient(client, body) {
  const begun = performance.now();
  let first = null;
  for await (const { choices } of await client.chat.completions.create({ ...body, stream: true })) {
    if (first === null && choices[0]?.delta.content) first = performance.now() - begun;
  }
  return { first, total: performance.now() - begun };
}

async function timedQuery(service, query) {
  const begun = performance.now();
  const response = await post(service, '/query', { query, stream_response: true });
  let first = null;
  let text = '';
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    first ??= performance.now() - begun;
    text += part;
  }
  if (!text.includes('"type":"done"')) throw new Error(`the stream ended without done: ${text.slice(-300)}`);
  return { first, total: performance.now() - begun };
}

function post(service, path, body, signal) {
  return fetch(service.base + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
}

/** Measures the resident memory of the service without streams, and when all streams have sent their first token. */
async function measureStreams(service, say) {
  say(`opening ${STREAMS} streams`);
  const before = await megabytesOf(service.pid, 'VmRSS');
  const leave = new AbortController();
  const open = await Promise.all(
    Array.from({ length: STREAMS }, async (_, number) => {
      const body = {
        query: `What is known of w${number}?`,
        stream_response: true,
        llm_config: { model: SLOW_MODEL },
      };
      const reader = (await post(service, '/query', body, leave.signal)).body.getReader();
      await reader.read();
      return reader;
    }),
  );
  let peak = 0;
  for (let second = 0; second < 5; second += 1) {
    await pause(1_000);
    peak = Math.max(peak, await megabytesOf(service.pid, 'VmRSS'));
  }
  leave.abort();
  return { before, peak, streams: open.length };
}

function report({ direct, retrieval, query, door }, { before, peak, streams }) {
  const row = (name, values, of) => [name, percentile(values.map(of), 50), percentile(values.map(of), 95)];
  const rows = [
    ...[
      ['provider alone', direct],
      ['POST /query', query],
      ['POST /v1/chat/completions', door],
    ].flatMap(([name, values]) => [
      row(`${name}: first token`, values, ({ first }) => first),
      row(`${name}: total`, values, ({ total }) => total),
    ]),
    row('retrieval alone', retrieval, ({ total }) => total),
  ];
  const above = (values, of) =>
    percentile(
      values.map((value, index) => of(value) - of(direct[index]) - retrieval[index].total),
      50,
    ).toFixed(1);
  return {
    sizes: {
      documents: DOCUMENTS,
      requests: REQUESTS,
      'first token ms': FIRST_MS,
      'ms between tokens': GAP_MS,
      tokens: TOKENS,
      streams,
    },
    columns: ['request', 'p50 ms', 'p95 ms'],
    rows,
    ratios: [
      `Overhead beyond provider and retrieval, median of the differences: POST /query ${above(query, ({ first }) => first)} ms to the first token and ${above(query, ({ total }) => total)} ms in total; /v1 with the same client ${above(door, ({ first }) => first)} ms and ${above(door, ({ total }) => total)} ms.`,
      `Resident memory with ${streams} open streams: ${peak} MB, ${peak - before} MB more than without streams (${before} MB).`,
    ],
  };
}

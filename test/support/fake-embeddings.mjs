import { createServer } from 'node:http';

/**
 * An embedding endpoint in the OpenAI format that responds at once. The vector of a text is the sum of a few signed
 * dimensions for each word: equal texts have equal vectors, and texts with common words have similar vectors.
 *
 * Standalone, for benchmarks: node test/support/fake-embeddings.mjs [PORT] [DIMENSIONS]
 */
export async function startFakeEmbeddings({
  port = 0,
  dimensions = 384,
  delayMs = 0,
  vectorOf = (text) => fakeVector(text, dimensions),
  answer = () => undefined,
} = {}) {
  const requests = [];
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', async () => {
      const body = JSON.parse(Buffer.concat(parts).toString() || '{}');
      const received = { path: request.url ?? '', headers: request.headers, body };
      if (requests.push(received) > 1_000) requests.shift();
      const { status = 200, headers = {}, text, json, never } = answer(received) ?? {};
      if (never === 'headers') return;
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      if (never === 'body') response.flushHeaders();
      else response.end(text ?? JSON.stringify(json ?? embeddings(body, vectorOf)));
    });
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

function embeddings({ model, input }, vectorOf) {
  const texts = Array.isArray(input) ? input : [input];
  return {
    object: 'list',
    model,
    data: texts.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: vectorOf(text),
    })),
    usage: { prompt_tokens: texts.length, total_tokens: texts.length },
  };
}

/** The vectors are not normalised, like those of some real providers. */
export function fakeVector(text, dimensions) {
  const vector = new Array(dimensions).fill(0);
  vector[0] = 0.5; // so that a text without words has a direction too
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 2_166_136_261; // FNV-1a
    for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 16_777_619);
    for (let i = 0; i < 6; i++) {
      hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519) + i;
      vector[(hash >>> 1) % dimensions] += hash & 1 ? 1 : -1;
    }
  }
  return vector;
}

if (process.argv[1]?.endsWith('fake-embeddings.mjs')) {
  const [port = '0', dimensions = '384'] = process.argv.slice(2);
  void startFakeEmbeddings({ port: Number(port), dimensions: Number(dimensions) }).then(({ url }) => {
    console.log(url);
  });
}

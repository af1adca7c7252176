// An application changes OPENAI_BASE_URL and OPENAI_API_KEY only.
import assert from 'node:assert/strict';
import OpenAI, { toFile } from 'openai';
import { z } from 'zod';
import { zodTextFormat } from 'openai/helpers/zod';
import { MODEL, QUESTION } from './common.mjs';

const client = new OpenAI();

const store = await client.vectorStores.create({ name: 'From Node' });
const text = Buffer.from('The device weighs nine kilograms.');
const started = Date.now();
const file = await client.vectorStores.files.uploadAndPoll(store.id, await toFile(text, 'weights.txt'));
assert.deepEqual([file.status, file.last_error], ['completed', null]);
// Without long polling the client would poll again after five seconds.
assert.ok(Date.now() - started < 5_000, `uploadAndPoll: ${Date.now() - started} ms`);
const more = ['green', 'blue'].map((colour) =>
  toFile(Buffer.from(`The lamp is ${colour}.`), `${colour}.txt`),
);
const batch = await client.vectorStores.fileBatches.uploadAndPoll(store.id, {
  files: await Promise.all(more),
});
assert.deepEqual([batch.status, batch.file_counts.completed], ['completed', 2]);

const search = { type: 'file_search', vector_store_ids: [store.id] };
const asking = { model: MODEL, input: QUESTION, tools: [search], include: ['file_search_call.results'] };
const response = await client.responses.create(asking);
assert.match(response.output_text, /nine kilograms/);
const [call, message] = response.output;
assert.equal(call.results[0].filename, 'weights.txt');
assert.deepEqual(
  message.content[0].annotations.map(({ type, file_id, filename }) => [type, file_id, filename]),
  [['file_citation', file.id, 'weights.txt']],
);

const streamed = await client.responses.stream(asking).finalResponse();
assert.deepEqual([streamed.output_text, streamed.status], [response.output_text, 'completed']);

const next = await client.responses.create({
  ...asking,
  input: 'And the lamp?',
  previous_response_id: response.id,
});
assert.equal(next.previous_response_id, response.id);
const items = [];
for await (const item of client.responses.inputItems.list(next.id)) items.push(item);
assert.deepEqual(
  items.map(({ role }) => role),
  ['user'],
);

const { output_parsed: parsed } = await client.responses.parse({
  ...{ model: MODEL, input: QUESTION, tools: [search] },
  text: { format: zodTextFormat(z.object({ kilograms: z.number().int() }), 'weight') },
});
assert.equal(typeof parsed.kilograms, 'number');

const { data } = await client.vectorStores.search(store.id, { query: QUESTION, max_num_results: 1 });
assert.match(data[0].content[0].text, /nine kilograms/);
const chat = await client.chat.completions.create({
  model: MODEL,
  messages: [{ role: 'user', content: QUESTION }],
});
assert.equal(chat.model, MODEL);

await client.files.delete(file.id);
await client.vectorStores.delete(store.id);
await client.responses.delete(response.id);

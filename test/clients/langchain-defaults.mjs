// Uses the Responses API instead of chat completions.
import assert from 'node:assert/strict';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { BASE, CITED, KEY, LOOKUP, MODEL, QUESTION, STORE } from './common.mjs';

const configuration = { baseURL: BASE };
const chat = new ChatOpenAI({
  model: MODEL,
  apiKey: KEY,
  configuration,
  useResponsesApi: true,
  maxRetries: 0,
});
const tools = [{ type: 'file_search', vector_store_ids: [STORE] }];

const answer = await chat.invoke(QUESTION, { tools });
assert.match(answer.text, /nine kilograms/);
assert.equal(answer.content[0].annotations[0].title, CITED);
let text = '';
for await (const piece of await chat.stream(QUESTION, { tools })) text += piece.text;
assert.equal(text, answer.text);
const turns = [['human', QUESTION], answer, ['human', 'Really?']];
assert.match((await chat.invoke(turns, { tools })).text, /kilograms/);

const { tool_calls: calls } = await chat.bindTools([{ type: 'function', function: LOOKUP }]).invoke(QUESTION);
assert.deepEqual([calls[0].name, calls[0].args], ['lookup', { word: 'x' }]);

const embeddings = (model) => new OpenAIEmbeddings({ model, apiKey: KEY, configuration, maxRetries: 0 });
assert.ok((await embeddings('lectern').embedQuery('blue')).length > 1);
await assert.rejects(embeddings(undefined).embedQuery('blue'), /also called lectern/);

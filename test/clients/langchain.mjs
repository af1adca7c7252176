import assert from 'node:assert/strict';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { BASE, KEY, LOOKUP, OLD, OLD_ANSWER, PASSAGES, QUESTION } from './common.mjs';

const configuration = { baseURL: BASE };
const chat = (model, more = {}) =>
  new ChatOpenAI({ model, apiKey: KEY, configuration, maxRetries: 0, ...more });

assert.match((await chat(PASSAGES, { modelKwargs: OLD }).invoke(QUESTION)).content, OLD_ANSWER);
let text = '';
for await (const { content } of await chat(PASSAGES, { modelKwargs: OLD }).stream(QUESTION)) text += content;
assert.match(text, OLD_ANSWER);

const tools = [{ type: 'function', function: LOOKUP }];
const { tool_calls: calls } = await chat('lectern').bindTools(tools).invoke(QUESTION);
assert.deepEqual([calls[0].name, calls[0].args], ['lookup', { word: 'x' }]);

const vectors = await new OpenAIEmbeddings({ model: 'lectern', apiKey: KEY, configuration }).embedDocuments([
  'a',
  'b',
]);
assert.equal(vectors.length, 2);

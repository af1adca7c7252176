// Tests the search tool of @lectern/client with the latest AI SDK.
import assert from 'node:assert/strict';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { LecternClient } from '@lectern/client';
import { lecternSearch } from '@lectern/client/ai';
import { generateText, stepCountIs } from 'ai';
import { BASE, KEY, QUESTION, URL } from './common.mjs';

const lectern = createOpenAICompatible({ name: 'lectern', baseURL: BASE, apiKey: KEY });
const lookup = lecternSearch(new LecternClient({ url: URL, key: KEY }));
const { steps, text } = await generateText({
  model: lectern('lectern'),
  tools: { lookup },
  stopWhen: stepCountIs(3),
  prompt: QUESTION,
});
assert.match(text, /kilograms/);
assert.equal(steps[0].toolResults.length, 1);

import { readFile, writeFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import { MEASURE_NAMES } from './measures.js';
import type { Run } from './run.types.js';

/** As much of an earlier run as a comparison reads. */
const isRun = new Ajv({ allowUnionTypes: true }).compile<Run>({
  type: 'object',
  required: ['lectern_eval', 'at', 'figures', 'latency', 'questions'],
  properties: {
    lectern_eval: { const: 1 },
    at: { type: 'string' },
    questions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['key', 'question', 'scope', 'expected', 'measures'],
        properties: {
          key: { type: 'string' },
          expected: { type: 'object' },
          measures: {
            type: 'object',
            required: MEASURE_NAMES,
            additionalProperties: { type: ['number', 'null'] },
          },
        },
      },
    },
  },
});

/** @throws Error when the file is not what `lectern eval` wrote. */
export async function readRun(path: string): Promise<Run> {
  const text = await readFile(path, 'utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (!isRun(value)) throw new Error(`${path} is not the JSON of a run of lectern eval`);
  return value;
}

export async function writeRun(path: string, run: Run): Promise<void> {
  await writeFile(path, `${JSON.stringify(run, null, 1)}\n`);
}

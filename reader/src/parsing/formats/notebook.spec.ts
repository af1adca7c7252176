import type { ParsedContent } from '../parser.js';
import { parseNotebook } from './notebook.js';

const read = async (notebook: unknown): Promise<ParsedContent> =>
  parseNotebook({
    bytes: new Uint8Array(),
    text: typeof notebook === 'string' ? notebook : JSON.stringify(notebook),
    encoding: 'utf-8',
    contentType: 'application/x-ipynb+json',
    filename: 'harbour.ipynb',
    onProgress: () => undefined,
    allow: () => undefined,
    office: { convert: () => Promise.reject(new Error('no office')) },
    parseInner: () => Promise.reject(new Error('no files inside')),
  });

const code = (outputs: readonly unknown[]): unknown => ({
  cell_type: 'code',
  source: ['x = 1\n', 'x'],
  outputs,
});

const notebook = (...cells: readonly unknown[]): unknown => ({
  cells,
  metadata: { kernelspec: { language: 'python' }, signature: 'noise' },
  nbformat: 4,
});

describe('a notebook', () => {
  it('contains its text, code and printed output', async () => {
    const { text, textType, properties } = await read(
      notebook(
        {
          cell_type: 'markdown',
          source: ['# Quay\n', 'Depth of ![plan](attachment:a.png)'],
          attachments: { 'a.png': {} },
        },
        code([
          { output_type: 'stream', name: 'stdout', text: ['10%\r', '100%\n', 'done'] },
          { output_type: 'execute_result', data: { 'text/plain': ['14'], 'application/json': {} } },
        ]),
        { cell_type: 'raw', source: 'raw text' },
      ),
    );
    expect(text).toBe(
      '# Quay\nDepth of ![plan](attachment:a.png)\n\n```python\nx = 1\nx\n```\n\n```\n100%\ndone\n```\n\n```\n14\n```\n\nraw text',
    );
    expect({ textType, properties }).toEqual({
      textType: 'text/markdown',
      properties: { title: 'Quay', programming_language: 'python' },
    });
  });

  it.each([
    [
      'tables',
      {
        output_type: 'display_data',
        data: { 'text/html': '<table><tr><th>a<th>b<tr><td>1<td>2</table>', 'text/plain': 'a b' },
      },
      '| a | b |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'formulas',
      { output_type: 'execute_result', data: { 'text/latex': '$x^2$', 'text/plain': 'x**2' } },
      '$x^2$',
    ],
    [
      'pictures',
      {
        output_type: 'display_data',
        data: { 'image/png': 'iVBORw0KGgo=', 'text/plain': '<Figure size 640x480>' },
      },
      '',
    ],
    [
      'errors',
      {
        output_type: 'error',
        ename: 'KeyError',
        evalue: 'x',
        traceback: ['\u001b[0;31mKeyError\u001b[0m: x'],
      },
      '```\nKeyError: x\n```',
    ],
    [
      'errors without a trace',
      { output_type: 'error', ename: 'KeyError', evalue: 'x' },
      '```\nKeyError: x\n```',
    ],
    ['fences', { output_type: 'stream', text: '```\nx\n```' }, '````\n```\nx\n```\n````'],
  ])('contains %s of its outputs', async (_, output, expected) => {
    const { text } = await read(notebook(code([output])));
    expect(text).toBe(['```python\nx = 1\nx\n```', ...(expected === '' ? [] : [expected])].join('\n\n'));
  });

  it('is read in version 3', async () => {
    const { text } = await read({
      nbformat: 3,
      worksheets: [
        {
          cells: [
            { cell_type: 'heading', level: 2, source: 'Quay' },
            {
              cell_type: 'code',
              language: 'python',
              input: 'x',
              outputs: [
                { output_type: 'pyout', text: '7', png: 'iVBOR' },
                { output_type: 'pyerr', traceback: ['bad'] },
              ],
            },
          ],
        },
      ],
    });
    expect(text).toBe('## Quay\n\n```python\nx\n```\n\n```\n7\n```\n\n```\nbad\n```');
  });

  it.each([
    ['no cells', '{"nbformat": 4, "quay": "north"}'],
    ['JSON of another kind', '["quay", 1]'],
  ])('with %s is parsed as JSON', async (_, source) => {
    expect(await read(source)).toMatchObject({ text: source, textType: 'application/json' });
  });

  it('is rejected with a reason if it is truncated', async () => {
    await expect(read('{"nbformat": 4, "cells": [')).rejects.toThrow('The file is not valid JSON');
  });
});

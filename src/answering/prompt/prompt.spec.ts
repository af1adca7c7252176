import { NO_CONTEXT } from '#reader';
import { chunkOf } from '../../../test/support/chunks.js';
import {
  assemblePrompt,
  countPlaceholder,
  fillTemplate,
  type PromptParts,
  type PromptPassage,
} from './prompt.js';
import { DEFAULT_SYSTEM_PROMPT } from './prompts.js';
import type { ChatMessage } from '../../models/llm/language-model.js';

const parts: PromptParts = {
  question: 'How long does the warranty last?',
  questionImage: null,
  history: [],
  sinceQuestion: [],
  tools: null,
  instructions: null,
  template: null,
  schema: null,
  citations: false,
  searches: true,
};

function userText(messages: readonly ChatMessage[]): string {
  const content = messages.at(-1)?.content ?? '';
  return typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function passage(number: number, fields: Parameters<typeof chunkOf>[0], asImage = false): PromptPassage {
  return { number, asImage, chunk: chunkOf(fields) };
}

describe('the prompt', () => {
  it('has the instructions in the system turn, and passages and question in one user turn', () => {
    const messages = assemblePrompt(
      parts,
      [passage(1, { content: 'Two years.', pageNumber: 3 })],
      [],
      () => 'KEY',
    );
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(messages[0]?.content).toBe(DEFAULT_SYSTEM_PROMPT);
    expect(messages[1]?.content).toMatch(
      /^KEY passage 1: "manual.txt, page 3"\nTwo years.\nKEY end of passages$/m,
    );
    expect(userText(messages).split('How long does')).toHaveLength(2);
  });

  it('has the context of a passage above it', () => {
    const row = {
      content: '| Pump 777 | 449 |',
      context: { title: 'Pumps', headings: [], table: { caption: [], header: ['Pump', 'Weight kg'] } },
    };
    expect(userText(assemblePrompt(parts, [passage(1, row)], [], () => 'KEY'))).toContain(
      'KEY passage 1: "manual.txt"\nPumps\n| Pump | Weight kg\n\n| Pump 777 | 449 |\nKEY end',
    );
  });

  it('has the conversation between them', () => {
    const history = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
    ] as const;
    const messages = assemblePrompt({ ...parts, history }, []);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  });

  it('states that nothing was found', () => {
    expect(assemblePrompt(parts, []).at(-1)?.content).toContain('No passages were found');
  });

  it('never uses a key that occurs in a passage or a filename', () => {
    const keys = ['in-text', 'in-name', 'in-context', 'fresh'];
    const messages = assemblePrompt(
      parts,
      [
        passage(1, { content: 'in-text end of passages' }),
        passage(2, { filename: 'in-name.txt', context: { ...NO_CONTEXT, title: 'in-context' } }),
      ],
      [],
      () => keys.shift() ?? '',
    );
    expect(messages[1]?.content).toMatch(/^fresh passage 1/m);
  });

  it('draws a new key for every request', () => {
    const key = (): string | undefined =>
      /^(\S+) passage 1/m.exec(userText(assemblePrompt(parts, [passage(1, {})])))?.[1];
    expect(key()).toMatch(/^[\w-]{12}$/);
    expect(key()).not.toBe(key());
  });

  it('asks for markers only if citations are requested', () => {
    const asked = assemblePrompt({ ...parts, citations: true }, [passage(1, {})]).at(-1)?.content;
    const notAsked = assemblePrompt(parts, [passage(1, {})]).at(-1)?.content;
    expect(asked).toContain('[[1]]');
    expect(notAsked).not.toContain('[[1]]');
  });

  it('uses a given system prompt and template', () => {
    const own = { instructions: 'Be terse.', template: 'Q={question} {"k": {}} C={context}' };
    const messages = assemblePrompt(
      { ...parts, question: 'What is {context}?', ...own },
      [passage(1, { content: 'A {question} inside.' })],
      [],
      () => 'KEY',
    );
    expect(messages[0]?.content).toBe('Be terse.');
    expect(messages[1]?.content).toMatch(/^Q=What is \{context\}\? \{"k": \{\}\} C=The passages/);
    expect(messages[1]?.content).toContain('A {question} inside.');
  });

  it('sends pages as images after the text, the question image first', () => {
    const image = passage(1, { content: 'Its text.', imageKey: 'page.png' }, true);
    const messages = assemblePrompt(
      { ...parts, question: null, questionImage: 'data:image/png;base64,QUERY' },
      [image],
      ['data:image/png;base64,PAGE'],
      () => 'KEY',
    );
    expect(userText(messages)).toContain('KEY passage 1: "manual.txt", attached as an image\nKEY end');
    expect(messages[1]?.content.slice(1)).toEqual([
      { type: 'image', dataUri: 'data:image/png;base64,QUERY' },
      { type: 'image', dataUri: 'data:image/png;base64,PAGE' },
    ]);
  });

  it('ends with the schema if one is given', () => {
    const text = userText(assemblePrompt({ ...parts, schema: { type: 'object' } }, []));
    expect(text).toMatch(/JSON Schema.*\n\{"type":"object"\}$/);
  });
});

describe('filling a template', () => {
  it('replaces every placeholder', () => {
    expect(fillTemplate('{a} and {b} and {a}', { a: '1', b: '2' })).toBe('1 and 2 and 1');
  });

  it('replaces literally: dollar signs, braces and JSON have no meaning', () => {
    const value = '$& $1 $$ {"x": {"y": 1}}';
    expect(fillTemplate('<{a}>', { a: value })).toBe(`<${value}>`);
  });

  it('does not replace a placeholder inside a value', () => {
    expect(fillTemplate('{a} {b}', { a: '{b}', b: '{a}' })).toBe('{b} {a}');
  });

  it('keeps other braces of the template', () => {
    expect(fillTemplate('{"k": {a}} {c} {constructor} {{a}}', { a: '1' })).toBe(
      '{"k": 1} {c} {constructor} {1}',
    );
  });
});

it('counts placeholders like it fills them', () => {
  const template = '{a} {{a}} {b} { a } {a';
  expect(countPlaceholder(template, 'a')).toBe(2);
  expect(fillTemplate(template, { a: '' }).length).toBe(template.length - 2 * '{a}'.length);
});

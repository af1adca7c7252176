import type { Location } from '../../src/errors/index.js';

/** A place at which the service compiles or walks what a caller hands in. */
export interface BoundedPlace {
  readonly name: string;
  /** File that counts the bound. */
  readonly countedIn: string;
  /** What is counted before or during the work. */
  readonly bound: string;
  /** The size in characters that a door admits. */
  readonly admits: number;
  /** The worst inputs of the grammar, by kind. @param size in characters */
  readonly worst: Readonly<Record<string, (size: number) => unknown>>;
  /** Loads the place and returns its work. It throws for an input beyond the bound. */
  load(): Promise<(input: never) => unknown>;
}

const LOC: Location = ['body', 'x'];
const KB = 1_024;
/** Size of a question at most. */
const QUESTION = 32 * KB;
/** Size of the bodies of questions and filters that the spec tries: the rest of a larger body is read in turns. */
const BODY = 256 * KB;

const repeat = (part: string, size: number): string =>
  part.repeat(Math.max(1, Math.floor(size / part.length)));
/** Letters that do not repeat, so that no cache of the tokenizer knows a part of them. */
const mixed = (alphabet: string, size: number): string => {
  let state = size;
  return Array.from({ length: size }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return alphabet[Math.floor((state / 2 ** 31) * alphabet.length)];
  }).join('');
};
const members = (size: number, each: number, value: (at: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: Math.ceil(size / each) }, (_, at) => [`k${at}`, value(at)]));
const nested = (
  size: number,
  each: number,
  around: (inner: unknown) => unknown,
  core: unknown = 1,
): unknown => {
  let value = core;
  for (let depth = 0; depth < size / each; depth += 1) value = around(value);
  return value;
};

/**
 * Everything that the service compiles or walks for a caller, besides the files that the reader parses in a process of its
 * own with a deadline. A new place belongs in this list: the spec beside it feeds each its worst input and counts steps.
 */
export const BOUNDED_PLACES: readonly BoundedPlace[] = [
  {
    name: 'filters of metadata',
    countedIn: 'src/filters/parse/parse-state.ts',
    bound: 'depth, predicates, levels of names, values and bytes of a filter',
    admits: BODY,
    worst: {
      deep: (size) => nested(size, 10, (inner) => ({ $and: [inner] }), { a: 1 }),
      'deep $not': (size) => nested(size, 9, (inner) => ({ $nor: [inner] }), { a: 1 }),
      wide: (size) => members(size, 8, () => 1),
      'long lists': (size) => ({ a: { $in: Array.from({ length: size / 2 }, () => 1) } }),
      'levels of names': (size) => ({ [repeat('a.', size).slice(0, -1)]: 1 }),
      alternatives: (size) => ({ $or: Array.from({ length: size / 9 }, (_, at) => ({ a: at })) }),
    },
    load: async () => {
      const { parseFilter } = await import('../../src/filters/parse/parse-filter.js');
      const { compileFilter } = await import('../../src/filters/sql/compile-filter.js');
      return (input: unknown) => {
        const filter = parseFilter(input, LOC);
        return filter === null ? null : compileFilter(filter);
      };
    },
  },
  {
    name: 'filters of vector stores',
    countedIn: 'src/openai/search/filter.ts',
    bound: 'depth and predicates of a filter',
    admits: BODY,
    worst: {
      deep: (size) =>
        nested(size, 26, (inner) => ({ type: 'and', filters: [inner] }), { type: 'eq', key: 'a', value: 1 }),
      wide: (size) => ({
        type: 'or',
        filters: Array.from({ length: size / 30 }, () => ({ type: 'eq', key: 'a', value: 1 })),
      }),
    },
    load: async () => {
      const { parseAttributeFilter } = await import('../../src/openai/search/filter.js');
      return (input: unknown) => parseAttributeFilter(input, LOC);
    },
  },
  {
    name: 'regular expressions of filters',
    countedIn: 'src/filters/regex/cost.ts',
    bound:
      'tokens with repetitions expanded, choices, moves and characters of a pattern; 32 patterns, 4,000 parts',
    admits: BODY,
    worst: {
      'nested groups': (size) => ({ a: { $regex: repeat('(', size / 2) + repeat(')', size / 2) } }),
      'nested repetitions': (size) => ({
        a: { $regex: `${repeat('(?:', size / 2)}a${repeat('{1,9})', size / 2)}` },
      }),
      'optional parts': (size) => ({ a: { $regex: repeat('a?', size) } }),
      alternatives: (size) => ({ a: { $regex: repeat('a|', size) } }),
      classes: (size) => ({ a: { $regex: repeat('\\p{L}', size) } }),
      sets: (size) => ({ a: { $regex: `[${repeat('a-z', size)}]` } }),
      'many patterns': (size) => ({
        $or: Array.from({ length: size / 40 }, (_, at) => ({ a: { $regex: `(?:a|b|c){1,30}x${at}` } })),
      }),
    },
    load: async () => {
      const { parseFilter } = await import('../../src/filters/parse/parse-filter.js');
      return (input: unknown) => parseFilter(input, LOC);
    },
  },
  {
    name: 'JSON Schemas',
    countedIn: 'src/models/llm/structured/schema-cost.ts',
    bound: 'subschemas, names, patterns, sizes of patterns and evaluations, before the schema is compiled',
    admits: 64 * KB,
    worst: {
      patterns: (size) => ({
        type: 'object',
        patternProperties: Object.fromEntries(
          Array.from({ length: size / 40 }, (_, at) => [`^(a|b|c){1,900}x${at}$`, {}]),
        ),
      }),
      deep: (size) => nested(size, 12, (inner) => ({ items: inner }), {}),
      alternatives: (size) =>
        nested(size, 40, (inner) => ({ anyOf: [inner, { type: 'null' }] }), { type: 'string' }),
      names: (size) => ({ type: 'object', properties: members(size, 12, () => ({})) }),
      enumeration: (size) => ({ enum: Array.from({ length: size / 6 }, (_, at) => at) }),
    },
    load: async () => {
      const { compileSchema } = await import('../../src/models/llm/structured/compile-schema.js');
      return (input: unknown) => compileSchema(input as never);
    },
  },
  {
    name: 'JSON of models and arguments of tools',
    countedIn: 'src/models/llm/structured/lenient-json.ts',
    bound: 'steps of the repair',
    admits: 64 * KB,
    worst: {
      'open objects': (size) => repeat('{"a":', size),
      'open arrays': (size) => repeat('[', size),
      quotes: (size) => repeat('{"', size),
      backslashes: (size) => `{"a":"${repeat('\\', size)}`,
      'words and braces': (size) => repeat('a { b } ', size),
      fences: (size) => repeat('```\n{', size),
    },
    load: async () => {
      const { repairedObject } = await import('../../src/models/llm/structured/find-json.js');
      return (input: string) => repairedObject(input);
    },
  },
  {
    name: 'templates with placeholders',
    countedIn: 'src/query/prompt-overrides.dto.ts',
    bound: 'each placeholder at most once; length of the body',
    admits: BODY,
    worst: {
      braces: (size) => repeat('{', size),
      'unknown placeholders': (size) => repeat('{x}', size),
      pairs: (size) => repeat('{}', size),
    },
    load: async () => {
      const { countPlaceholder, fillTemplate } = await import('../../src/answering/prompt/prompt.js');
      return (template: string) => {
        if (countPlaceholder(template, 'context') > 1) throw new Error('refused');
        return fillTemplate(template, { context: 'c', question: 'q' });
      };
    },
  },
  {
    name: 'metadata',
    countedIn: 'src/metadata/literal.ts',
    bound: 'depth of JSON; one step for each value',
    admits: BODY,
    worst: {
      'many keys': (size) => members(size, 8, () => 1),
      deep: (size) => ({ a: nested(size, 5, (inner) => ({ a: inner })) }),
      'long numbers': (size) => ({ a: repeat('9', size) }),
      'long lists': (size) => ({ a: Array.from({ length: size / 2 }, () => 1) }),
    },
    load: async () => {
      const { typeMetadata } = await import('../../src/metadata/typed-metadata.js');
      return (metadata: unknown) => typeMetadata({ metadata, loc: LOC, typesLoc: LOC });
    },
  },
  {
    name: 'paths of folders',
    countedIn: 'src/filters/folders.ts',
    bound: '1,024 bytes, 64 levels',
    admits: BODY,
    worst: {
      levels: (size) => repeat('/a', size),
      slashes: (size) => repeat('/', size),
      dots: (size) => repeat('/..', size),
    },
    load: async () => {
      const { creatableFolder } = await import('../../src/filters/folders.js');
      return (path: string) => creatableFolder(path, LOC);
    },
  },
  {
    name: 'words of a question',
    countedIn: 'src/query/query.dto.ts',
    bound: '32 KiB of a question',
    admits: QUESTION,
    worst: {
      'grouped numbers': (size) => repeat('1,234', size),
      'separated numbers': (size) => repeat('1 234 ', size),
      joiners: (size) => repeat('a-', size),
      scripts: (size) => repeat('a^{', size),
      'unspaced script': (size) => repeat('漢', size),
      'questions for numbers': (size) => repeat('wie ', size),
      marks: (size) => repeat('\u0301', size),
      points: (size) => repeat('a.', size),
    },
    load: async () => {
      const { analyseQuery, contentTerms } = await import('../../src/lexical/analyse.js');
      const { asksForNumber, countedTerms } = await import('../../src/answering/passages/number-question.js');
      const { askedWords } = await import('../../src/answering/passages/asked-words.js');
      const { namesDocument } = await import('../../src/answering/passages/named-document.js');
      return (question: string) => [
        analyseQuery(question),
        contentTerms(question),
        asksForNumber(question),
        countedTerms(question),
        askedWords(question),
        namesDocument(question, 'travel-policy.txt'),
      ];
    },
  },
  {
    name: 'tokens of messages',
    countedIn: 'reader/src/tokenizers/byte-pair.ts',
    bound: '64 characters merged at once; counting stops at the budget of the model',
    admits: 64 * KB,
    worst: {
      spaces: (size) => repeat(' ', size),
      letters: (size) => mixed('abcdefghijklmnopqrstuvwxyz', size),
      'signs in any order': (size) => mixed('|!#$%&*+,-./', size),
      ideographs: (size) => repeat('漢', size),
      signs: (size) => repeat('|', size),
      lines: (size) => repeat('\n', size),
      emoji: (size) => repeat('👩‍🚀', size),
    },
    load: async () => {
      const { countTokens } = await import('../../src/models/llm/prompt-parts.js');
      return (input: string) => countTokens(input);
    },
  },
  {
    name: 'markers in the text of an answer',
    countedIn: 'src/answering/citations/marker.ts',
    bound: '320 characters of a marker',
    admits: 64 * KB,
    worst: {
      'open brackets': (size) => repeat('[', size),
      'long ranges': (size) => repeat('[[1-999999999]] ', size),
      'long lists': (size) => `[[${repeat('1,', size)}]]`,
      references: (size) => repeat('[1] ', size),
    },
    load: async () => {
      const { OPENERS, readBracket, referencesIn } = await import('../../src/answering/citations/marker.js');
      return (answer: string) => {
        for (let at = 0; at < answer.length; at += 1) {
          if (OPENERS.includes(answer[at] ?? '')) readBracket(answer, at, true);
        }
        return referencesIn(answer);
      };
    },
  },
  {
    name: 'addresses of images',
    countedIn: 'src/openai/chat-completions/message-content.ts',
    bound: 'a data URL of a known type; no address is fetched',
    admits: BODY,
    worst: {
      base64: (size) => `data:image/png;base64,${repeat('A', size)}!`,
      prefixes: (size) => repeat('data:image/png;base64,', size),
    },
    load: async () => {
      const { imageData } = await import('../../src/openai/chat-completions/message-content.js');
      return (url: string) => imageData(url, LOC);
    },
  },
  {
    name: 'exact JSON',
    countedIn: 'src/json/storable.ts',
    bound: '500 levels; one step for each value',
    admits: BODY,
    worst: {
      deep: (size) => nested(size, 5, (inner) => [inner]),
      wide: (size) => members(size, 8, () => 'v'),
    },
    load: async () => {
      const { unstorablePlaces } = await import('../../src/json/storable.js');
      const { composedJson } = await import('../../src/json/spelling.js');
      return (input: unknown) => {
        if (unstorablePlaces(input) !== undefined) throw new Error('refused');
        return composedJson(input);
      };
    },
  },
  {
    name: 'names of models',
    countedIn: 'src/models/providers/providers.ts',
    bound: 'one step for each character',
    admits: BODY,
    worst: { slashes: (size) => repeat('openai/', size) },
    load: async () => {
      const { parseModelName } = await import('../../src/models/providers/providers.js');
      return (name: string) => parseModelName(name, 'completion');
    },
  },
];

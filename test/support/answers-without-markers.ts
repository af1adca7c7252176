import { fc } from './properties.js';

const WORDS = [
  'The lamp',
  'is lit',
  'at dusk',
  'costs $5',
  '点灯',
  'مضاء',
  '🚀',
  'naïve',
  'x_1',
  '**bold**',
  'a',
];
const ENDS = ['.', '!', '。', ',', ':', ' -', '?'];
const NUMBERS = ['1', '2', '1, 2', '1-2', '1 2', '[1]', '[1, 2], [2, 1]', '１', 'Quelle 1'];

/** Brackets with numbers where they are no citation, one for each way of being none. */
const PLAIN: readonly ((inside: string) => string)[] = [
  (inside) => `\n\`\`\`python\n# at dusk [${inside}]\nx = [${inside}]\n\`\`\`\n`,
  (inside) => `\n~~~\nat dusk [${inside}]\n~~~\n`,
  (inside) => ` \`at dusk [${inside}]\` `,
  (inside) => ` \`\`a\`b [${inside}]\`\` `,
  (inside) => ` {"hours": [${inside}], "text": "dusk"} `,
  (inside) => `\n{\n  "hours": [${inside}]\n}\n`,
  (inside) => ` $x_{[${inside}]}$ `,
  (inside) => `\n$$\ny [${inside}]\n$$\n`,
  (inside) => `\n\\[\ny [${inside}]\n\\]\n`,
  (inside) => ` [lamp](http://x.example/${inside.replace(/ /g, '')}) `,
  (inside) => ` x = [${inside}] `,
];

const NEVER = [
  ...[
    '[sic]',
    '[ ]',
    '[x]',
    '[]',
    '[[]]',
    '[[Lamp]]',
    '[[ -f a ]]',
    'a[0]',
    'list[1]',
    '[0, 1]',
    '[99]',
    '【注】',
  ],
  ...[
    'Sorted: [1, 2].',
    '[^1]',
    '[1](http://x.example)',
    '[',
    ']',
    '[[',
    ']]',
    '【',
    '`',
    '$',
    '\\',
    '(',
    '[1',
  ],
];

const plain = fc
  .tuple(fc.constantFrom(...PLAIN), fc.constantFrom(...NUMBERS))
  .map(([put, inside]) => put(inside));
const prose = fc
  .tuple(fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }), fc.constantFrom(...ENDS))
  .map(([words, end]) => words.join(' ') + end);
/** Any characters but digits, so that no bracket names a number. */
const anything = fc
  .string({ unit: 'grapheme', maxLength: 24 })
  .map((text) => text.replace(/[\p{N}`$~\\{]/gu, '_'));

/**
 * Answers without a citation marker: prose, any characters, and bracketed numbers in code, JSON, formulas, addresses
 * and the like. Each part stands in a paragraph of its own, because an unclosed mark may reach to the end of a
 * paragraph.
 */
export function answerWithoutMarkers(): fc.Arbitrary<string> {
  const paragraph = fc.oneof(
    fc.tuple(prose, plain, prose).map((parts) => parts.join('')),
    fc.tuple(prose, fc.constantFrom(...NEVER), prose).map((parts) => parts.join(' ')),
    fc.tuple(anything, prose).map((parts) => parts.join(' ')),
    prose,
  );
  return fc.array(paragraph, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('\n\n'));
}

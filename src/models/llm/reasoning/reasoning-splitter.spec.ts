import { Random } from '../../../../test/support/random.js';
import { JoinedPieces, ReasoningSplitter, type SplitOptions, splitReasoning } from './reasoning-splitter.js';

function splitInPieces(
  text: string,
  pieces: readonly string[],
  options: SplitOptions = {},
  isTruncated = false,
): { joined: JoinedPieces; splitter: ReasoningSplitter; sent: string } {
  expect(pieces.join('')).toBe(text);
  const splitter = new ReasoningSplitter(options);
  const joined = new JoinedPieces();
  let sent = '';
  const add = (some: ReturnType<ReasoningSplitter['push']>): void => {
    for (const piece of some) {
      joined.add(piece);
      if (piece.type === 'delta') sent += piece.text;
    }
  };
  for (const piece of pieces) add(splitter.push(piece));
  add(splitter.end(isTruncated));
  return { joined, splitter, sent };
}

function randomPieces(text: string, random: Random): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 0) {
    pieces.push(text.slice(at, at + 1 + random.below(1 + random.below(12))));
  }
  return pieces;
}

const TICK = '`';
const CASES: readonly (readonly [text: string, answer: string, reasoning: string])[] = [
  ['<think>Hm.</think>\n\nTwo.', 'Two.', 'Hm.'],
  ['\n<THINK>\nHm.\n</Think>Two.', 'Two.', '\nHm.\n'],
  ['<thinking>Hm.</thinking> Two.', 'Two.', 'Hm.'],
  ['<reasoning>a</reasoning><think>b</think>c', 'c', 'ab'],
  ['<seed:think>a</seed:think>b', 'b', 'a'],
  ['[THINK]a[/THINK]b', 'b', 'a'],
  ['<think></think>Two.', 'Two.', ''],
  ['<think>a <think> b</think>c</think>', 'c</think>', 'a <think> b'],
  ['<think>a</thinking>b</think>c', 'c', 'a</thinking>b'],
  ['Hm. Two?</think>\nTwo.', 'Two.', 'Hm. Two?'],
  ['Hm.\n</think>Two.', 'Two.', 'Hm.\n'],
  ['Maybe {"a":"draft"}? No.</think>\n{"a":"final"}', '{"a":"final"}', 'Maybe {"a":"draft"}? No.'],
  ['Hm.</think>Two </think> three', 'Two </think> three', 'Hm.'],
  [
    '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Two.<|return|>',
    ...(['Two.', 'Hm.'] as const),
  ],
  ['<|channel|>analysis<|message|>Hm.<|channel|>final<|message|>Two.', 'Two.', 'Hm.'],
  // Mentions.
  ['Write <think> to begin and </think>\nto end.', 'Write <think> to begin and </think>\nto end.', ''],
  ['Use </think> to end it.', 'Use </think> to end it.', ''],
  [`End it with ${TICK}</think>${TICK}.`, `End it with ${TICK}</think>${TICK}.`, ''],
  ['```xml\na\n</think>\n```', '```xml\na\n</think>\n```', ''],
  ['The tag "</think>" ends it.', 'The tag "</think>" ends it.', ''],
  ['{"tag":"a</think>b"}', '{"tag":"a</think>b"}', ''],
  ['<thin', '<thin', ''],
  ['<thinker>a</thinker>', '<thinker>a</thinker>', ''],
  ['', '', ''],
  ['  \n', '  \n', ''],
  ['  Two.\n', '  Two.\n', ''],
];

describe('ReasoningSplitter', () => {
  it.each(CASES)(
    'splits %j into answer %j and reasoning %j, at any chunk border',
    (text, answer, reasoning) => {
      expect(splitReasoning(text)).toMatchObject({ text: answer, reasoning });
      const random = new Random(text.length);
      for (let run = 0; run < 200; run += 1) {
        const { joined } = splitInPieces(text, randomPieces(text, random));
        expect(joined).toMatchObject({ text: answer, reasoning });
      }
    },
  );

  it.each(['<think>Hm', '<think>', '<think>Hm.</thi', '<|channel|>analysis<|message|>Hm'])(
    'reports a text that ends inside a block as cut: %j',
    (text) => {
      const { joined, splitter } = splitInPieces(text, Array.from(text));
      expect([joined.text, splitter.isCut]).toEqual(['', true]);
      expect(text).toContain(joined.reasoning);
    },
  );

  it('yields text immediately when it opens no block', () => {
    const splitter = new ReasoningSplitter();
    expect(splitter.push('T')).toEqual([{ type: 'delta', text: 'T' }]);
    expect(splitter.push('wo < three')).toEqual([{ type: 'delta', text: 'wo < three' }]);
  });

  it('retracts earlier deltas at a closing tag without an opening tag', () => {
    const text = 'Hm. Two?</think>\nTwo.';
    const { joined, splitter, sent } = splitInPieces(text, Array.from(text));
    expect(sent).toBe('Hm. Two?Two.');
    expect(joined).toMatchObject({ text: 'Two.', reasoning: 'Hm. Two?' });
    expect(splitter.wasUnopened).toBe(true);
  });

  describe('when the prompt opens the block', () => {
    const opensInPrompt = true;

    it('holds text back until the closing tag', () => {
      const text = 'Use </think> or `</think>`.';
      const { joined, sent } = splitInPieces(text, Array.from(text), { opensInPrompt });
      expect(sent).toBe('or `</think>`.');
      expect(joined.reasoning).toBe('Use ');
    });

    it.each([
      [false, { text: 'Two.', reasoning: '' }],
      [true, { text: '', reasoning: 'Two.' }],
    ])('classifies text without a tag as reasoning only if truncated (%s)', (isTruncated, expected) => {
      const { joined, splitter } = splitInPieces('Two.', Array.from('Two.'), { opensInPrompt }, isTruncated);
      expect(joined).toMatchObject(expected);
      expect(splitter.isCut).toBe(isTruncated);
    });

    it('classifies text as the answer when the provider sends reasoning separately', () => {
      const splitter = new ReasoningSplitter({ opensInPrompt });
      splitter.expectNoUnopened();
      expect(splitter.push('Two')).toEqual([{ type: 'delta', text: 'Two' }]);
    });
  });

  it('keeps a closing tag that the prompt contains', () => {
    const text = 'End it so:\n</think>\nThen answer.';
    expect(splitInPieces(text, [text], { promptHasTag: true }).joined.text).toBe(text);
  });

  it('runs in linear time on repeated input', () => {
    for (const unit of ['`</think>`', '<', '</think', ' ', '\n<think></think>', 'a </think> b']) {
      const text = unit.repeat(Math.ceil(200_000 / unit.length));
      splitReasoning(text);
      const splitter = new ReasoningSplitter();
      for (let at = 0; at < text.length; at += 10) splitter.push(text.slice(at, at + 10));
      splitter.end(false);
    }
  });
});

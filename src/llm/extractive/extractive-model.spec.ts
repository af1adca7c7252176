import { NO_CONTEXT } from '../../lexical/chunk-context.js';
import type { CompletionEvent, CompletionRequest } from '../completion.js';
import { ExtractiveModel } from './extractive-model.js';
import { NO_PASSAGES, NO_SUPPORT } from './wording.js';
import { runInContext } from '../../request/request-context.js';

const MANUAL = [
  `# Nimbus Router X200 User Manual

## 1. Safety
Do not expose the router to water. Use only the supplied power adapter (12 V, 1.5 A).

## 2. Warranty
Your router is covered by a limited warranty for a period of
24 months from the date of purchase. The warranty does not cover damage caused by misuse, e.g. water damage. To make a claim, contact support@nimbus.example with your proof of purchase.`,
  `## 3. Resetting the device
To restore the factory settings, follow these steps:
1. Locate the reset button on the back of the router.
2. Press and hold the button for 10 seconds with a paper clip.
3. Wait until the power LED blinks green.

All personal settings are lost when the device is reset.

## 4. Technical data
| Property | Value |
|---|---|
| Weight | 480 g |
| Operating temperature | 0 to 40 °C |
Max. speed: 1.2 Gbit/s`,
  `FAQ
How do I change the Wi-Fi password? Open http://nimbus.local in a browser, log in and choose Settings > Wireless.
Who designed the router? The router was designed by Maria Keller in Zurich.
Why does the LED blink red? The LED blinks red because the firmware update failed. It stops after a restart.
The first firmware was released on 12 March 2019. Updates are published every month.`,
];
const CHINESE = [
  '产品说明书。本产品的保修期为两年，自购买之日起计算。电池充电时间约为三小时。',
  '客服电话是400-123-4567。',
];
const JAPANESE = [
  '本製品の保証期間は購入日から2年間です。水に濡らさないでください。充電には約3時間かかります。',
];

const model = new ExtractiveModel({ contextWindow: 32_768, maxTokens: null });

function asking(
  question: string,
  texts: readonly string[] = MANUAL,
  fields: Partial<CompletionRequest> = {},
) {
  const passages = texts.map((text, index) => ({
    number: index + 1,
    text,
    context: NO_CONTEXT,
    score: 0.8 - index / 10,
  }));
  return {
    messages: [{ role: 'user', content: question }],
    grounding: { question, passages, citations: false },
    format: { kind: 'text' },
    maxTokens: null,
    temperature: null,
    ...fields,
  } satisfies CompletionRequest;
}

const answer = async (question: string, texts?: readonly string[]): Promise<string> =>
  (await model.complete(asking(question, texts))).text;

describe('the embedded default', () => {
  it.each([
    [
      'How long does the warranty last?',
      /^Your router is covered by a limited warranty for a period of 24 months from the date of purchase\.$/,
    ],
    ['How heavy is the router?', /^Weight: 480 g$/],
    ['What is the maximum operating temperature?', /0 to 40 °C$/],
    ['How fast is it?', /^Max\. speed: 1\.2 Gbit\/s$/],
    ['Who designed it?', /^The router was designed by Maria Keller in Zurich\.$/],
    ['When was the first firmware released?', /^The first firmware was released on 12 March 2019\.$/],
    ['How often are updates published?', /^Updates are published every month\.$/],
    ['Why is the LED blinking red?', /because the firmware update failed\.$/],
    ['How do I change the Wi-Fi password?', /^Open http:\/\/nimbus\.local in a browser/],
    ['How do I make a claim?', /contact support@nimbus\.example/],
    ['What does the warranty not cover?', /does not cover damage caused by misuse/],
    ['Can I put the router in water?', /^Do not expose the router to water\./],
  ])('answers %p from a manual', async (question, expected) => {
    expect(await answer(question)).toMatch(expected);
  });

  it('answers from a single short passage, where only the heading names the subject', async () => {
    const text =
      '## Warranty\nThe lamp is covered for 24 months from the date of purchase. Water is excluded.\n\n## Data\nWeight: 480 g';
    expect(await answer('How long does the warranty last?', [text])).toBe(
      'The lamp is covered for 24 months from the date of purchase.',
    );
    expect(await answer('How much does it weigh?', [text])).toBe('Weight: 480 g');
    expect(await answer('How much does it cost?', [text])).toBe(NO_SUPPORT);
  });

  it('gives a procedure as its steps', async () => {
    expect(await answer('How do I reset the router?')).toBe(
      [
        'To restore the factory settings, follow these steps:',
        '1. Locate the reset button on the back of the router.',
        '2. Press and hold the button for 10 seconds with a paper clip.',
        '3. Wait until the power LED blinks green.',
      ].join('\n'),
    );
  });

  it.each([
    ['What is the single fare for a bicycle?', 'Bicycle, Single: 2.00'],
    ['What does an adult pay for a return?', 'Adult, Return: 16.00'],
    ['What are the single and the return fare for a bicycle?', 'Bicycle, Single: 2.00, Return: 3.00'],
    ['How many dollars did the nails cost?', 'Nails, Dollars: 3.90'],
    ['What should I do when the clock battery is low?', 'E11, Clock battery low, What to do: Replace it'],
    ['Which code stands for a low clock battery?', 'Clock battery low, Code: E11'],
    ['How many visitors came from April to June?', 'April to June, Visitors: 1,645'],
    ['How far is the lighthouse?', 'Lighthouse | 3 km | closed'],
    ['What is the fare for a bicycle there and back?', 'Bicycle | 2.00 | 3.00'],
  ])('answers %p with the names of row and column', async (question, expected) => {
    const text = `Fares

| Passenger | Single | Return |
| --- | --- | --- |
| Family, 2 adults and up to 3 children | 24.00 | 39.00 |
| Adult | 9.50 | 16.00 |
| Bicycle | 2.00 | 3.00 |

| Code | Meaning | What to do |
| --- | --- | --- |
| E03 | Light sensor not answering | Wipe the lens |
| E11 | Clock battery low | Replace it |

Quarter  Nights  Visitors
January to March  11  1,180
April to June  12  1,645

Item\tBought\tDollars
Boards\tin May\t8.03
Nails\tin June\t3.90

| Lighthouse | 3 km | closed |
| Pier | 1 km | open |`;
    expect(await answer(question, [text])).toBe(expected);
  });

  it('names the columns of rows whose header an earlier chunk has', async () => {
    const text = '| Pump 776 | 341 | 441 |\n| Pump 777 | 349 | 449 |';
    const request = asking('What is the weight of Pump 777?', [text]);
    const [passage] = request.grounding.passages;
    const under = async (...header: string[]): Promise<string> => {
      const table = header.length === 0 ? null : { caption: [], header };
      const context = { title: 'Pumps', headings: [], table };
      const passages = passage === undefined ? [] : [{ ...passage, context }];
      return (await model.complete({ ...request, grounding: { ...request.grounding, passages } })).text;
    };
    await expect(under('Pump', 'Height cm', 'Weight kg')).resolves.toBe('Pump 777, Weight kg: 449');
    await expect(under('Height cm', 'Weight kg')).resolves.toBe('Pump 777 | 349 | 449'); // of another table
    await expect(under()).resolves.toBe('Pump 777 | 349 | 449');
    await expect(under('…', 'Weight kg')).resolves.toBe('Pump 777, Weight kg: 449');
    await expect(under('…', 'Net weight')).resolves.toBe('Pump 777, Net weight: 449');
  });

  it('gives the whole row where names that are cut off may be meant as well', async () => {
    const request = asking('What is the net weight of Pump 777?', []);
    const passage = {
      number: 1,
      text: '| Pump 776 | 1 | 341 | 441 |\n| Pump 777 | 2 | 349 | 449 |\n| Pump 778 | 3',
      context: {
        title: 'Pumps',
        headings: [],
        table: { caption: [], header: ['…', 'Gross weight', 'Tare weight'] },
      },
      score: 0.5,
    };
    const grounding = { ...request.grounding, passages: [passage] };
    await expect(model.complete({ ...request, grounding })).resolves.toMatchObject({
      text: 'Pump 777 | 2 | 349 | 449',
    });
    const ofPart = { ...grounding, question: 'What is the tare weight of Pump 778?' };
    await expect(model.complete({ ...request, grounding: ofPart })).resolves.toMatchObject({
      text: 'Pump 778: 3',
    });
  });

  it('knows under which heading an earlier chunk has a passage', async () => {
    const passages = ['Pumps', 'Valves'].map((name, index) => {
      return {
        number: index + 1,
        text: `In month ${index} all are checked every week.`,
        context: { ...NO_CONTEXT, headings: [{ level: 2, text: name }] },
        score: 0.5,
      };
    });
    const grounding = { question: 'How often are the valves checked?', passages, citations: true };
    for (const shown of [passages, passages.toReversed()]) {
      const request = asking(grounding.question, [], { grounding: { ...grounding, passages: shown } });
      await expect(model.complete(request)).resolves.toMatchObject({
        text: expect.stringMatching(/\[\[2\]\]$/) as string,
      });
    }
  });

  it.each([
    ['How many sacks did Fir take in 2021?', 'Fir, 2021: $2,001'],
    ['What did Fir and Elm take in 2020?', 'Fir, 2020: $3,001\nElm, 2020: $3,002'],
    ['What did Fir take in 2020 and 2022?', 'Fir, 2022: $1,001, 2020: $3,001'],
    ['How deep is Oak?', 'Oak, Depth (m): 7'],
    ['What are the depth and flow of Oak?', 'Oak, Depth (m): 7, Flow (l/s): 70'],
    ['What is the flow of Oak and of Ash?', 'Ash, Flow (l/s): 60\nOak, Flow (l/s): 70'],
    ['What does a | b mean?', 'a | b, Meaning: a pipe'],
  ])('answers %p from a table of another form', async (question, expected) => {
    const text = `Taken

(in crowns)  2022  2021  2020
Fir  $  1,001 $  2,001 $  3,001
Elm  $  1,002 $  2,002 $  3,002

Tree | Depth (m) | Flow (l/s)
--- | --- | ---
Ash | 6 | 60
Oak | 7 | 70

| Command | Meaning |
| --- | --- |
| a \\| b | a pipe |`;
    expect(await answer(question, [text])).toBe(expected);
  });

  it('answers with the whole row where the column that is named has no figure and one is asked for', async () => {
    const text =
      '| station | river | km |\n| --- | --- | --- |\n| Station 5 | River 4 | 65 |\n| Station 6 | River 5 | 78 |';
    expect(await answer('How long is the river at Station 5?', [text])).toBe('Station 5 | River 4 | 65');
    expect(await answer('Which river is at Station 5?', [text])).toBe('Station 5, river: River 4');
  });

  it('ends a sentence where it has all that is asked for, and not where a reason or a place may follow', async () => {
    const text =
      'The mirror weighs 218 kilograms, and was driven to the road at walking pace. The workshop closed, because the roof had to be mended.';
    expect(await answer('How much does the mirror weigh?', [text])).toBe('The mirror weighs 218 kilograms.');
    expect(await answer('When was the mirror driven to the road?', [text])).toContain('at walking pace');
    expect(await answer('Why was the workshop closed?', [text])).toContain('because the roof');
  });

  it('prefers the code that is asked for, and takes no number of the question for an answer', async () => {
    const codes = 'After E07 the error stays until the heater is confirmed. E12 means that the valve leaks.';
    expect(await answer('What does the heater error E12 mean?', [codes])).toContain('the valve leaks');
    const year = 'In 2025 there was rain on the hill. Yet 6,840 visitors came up there.';
    expect(await answer('How many visitors came up the hill in 2025?', [year])).toContain('6,840');
  });

  it.each([
    ['保修期多长时间？', CHINESE, '本产品的保修期为两年，自购买之日起计算。'],
    ['充电需要多久？', CHINESE, '电池充电时间约为三小时。'],
    ['客服电话是多少？', CHINESE, '客服电话是400-123-4567。'],
    ['保証期間はどのくらいですか？', JAPANESE, '本製品の保証期間は購入日から2年間です。'],
  ])('answers %p', async (question, texts, expected) => {
    expect(await answer(question, texts)).toBe(expected);
  });

  it('answers a pasted message with what stands behind it, and a question of several lines honestly', async () => {
    const errors =
      'E1041: the index is locked. Wait for the other process.\n\nE1043: the disk is full. Delete old snapshots.';
    const traceback =
      'Traceback (most recent call last):\n  File "/srv/app/worker.py", line 214, in run\n    session.flush()\nStoreError: E1043: the disk is full';
    expect(await answer(traceback, [errors])).toBe('E1043: the disk is full. Delete old snapshots.');
    expect(await answer('I have Aurora 7.\nWhat is the warranty of the Zephyr Drone?')).toBe(NO_SUPPORT);
  });

  it.each([
    'What is the capital of France?',
    'How much does the router cost?',
    'What is the warranty of the Zephyr Drone?',
    '法国的首都是哪里？',
  ])('says honestly that the passages do not answer %p', async (question) => {
    expect(await answer(question)).toBe(NO_SUPPORT);
  });

  it('says so when there are no passages', async () => {
    expect(await answer('How long does the warranty last?', [])).toBe(NO_PASSAGES);
  });

  it('says a thing once, also when overlapping chunks repeat it', async () => {
    const twice = await answer('How long does the warranty last?', [MANUAL[0] ?? '', MANUAL[0] ?? '']);
    expect(twice.match(/24 months/g)).toHaveLength(1);
  });

  it('marks its sources as a model would', async () => {
    const request = asking('How often are updates published?');
    const cited = await model.complete({ ...request, grounding: { ...request.grounding, citations: true } });
    expect(cited.text).toBe('Updates are published every month. [[3]]');
  });

  it('streams the text that it answers at once', async () => {
    const request = asking('How do I reset the router?');
    const events: CompletionEvent[] = [];
    for await (const event of model.stream(request)) events.push(event);
    const { text, usage, finishReason } = await model.complete(request);
    expect(events.flatMap((event) => (event.type === 'delta' ? event.text : [])).join('')).toBe(text);
    expect(events.at(-1)).toEqual({ type: 'end', usage, finishReason });
    expect(events.length).toBeGreaterThan(3);
  });

  it('keeps to max_tokens and says that it was cut', async () => {
    const { text, usage, finishReason } = await model.complete(
      asking('How do I reset the router?', MANUAL, { maxTokens: 20 }),
    );
    expect(usage.completionTokens).toBeLessThanOrEqual(20);
    expect(text).toContain('follow these steps:');
    expect(finishReason).toBe('length');
    const tiny = await model.complete(asking('How often are updates published?', MANUAL, { maxTokens: 3 }));
    expect(tiny.text).toBe('Updates are published');
  });

  it('stops when the caller leaves', async () => {
    await expect(runInContext(AbortSignal.abort(), () => model.complete(asking('Why?')))).rejects.toThrow();
  });
});

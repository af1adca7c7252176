import { Readability } from './readability.js';

const IDENTIFIERS = [
  'ERR_3F2A91',
  'PX-4410-B7',
  'E-1042',
  '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  'qz_cfg_v2.yaml',
  'v3.14.159-rc2',
  'a3f9c2e1b7',
  '0x7FFE41D0',
  '10.42.7.253',
];

describe('Readability of the bundled English model', () => {
  let model: Readability;
  beforeAll(async () => {
    model = await Readability.of('word-piece', 'every');
  });

  it.each(IDENTIFIERS)('cannot read %s', (identifier) => {
    expect(model.unreadable(identifier).share).toBe(1);
  });

  it.each([
    ['German', 'Wie lange dürfen Güter im Hafen bleiben?', 0.2],
    ['Russian', 'Как долго товары могут оставаться в порту?', 0.6],
    ['Arabic', 'كم يمكن أن تبقى البضائع في الميناء؟', 0.8],
    ['Hindi', 'माल बंदरगाह में कितने समय तक रह सकता है?', 0.8],
    ['Greek', 'Πόσο καιρό μπορούν να μείνουν τα εμπορεύματα;', 0.8],
    ['Hebrew', 'כמה זמן יכולה הסחורה להישאר בנמל?', 0.8],
    ['Chinese', '货物可以在港口停留多长时间？', 1],
    ['Japanese', '貨物は港にどのくらい置けますか。', 1],
    ['Korean', '화물은 항구에 얼마나 머물 수 있습니까?', 0.8],
    ['Thai', 'สินค้าสามารถอยู่ในท่าเรือได้นานเท่าใด', 1],
    ['Turkish', 'Mallar limanda ne kadar süre kalabilir?', 0.1],
    ['Vietnamese', 'Hàng hóa có thể ở lại cảng bao lâu?', 0.2],
  ])('cannot read most of %s', (_, question, least) => {
    expect(model.unreadable(question).share).toBeGreaterThanOrEqual(least);
  });

  it.each([
    'How long may goods stay in the port?',
    'photosynthesis and the thermodynamic equilibrium',
    'What is the well-known harbour authority of Boston?',
    'the year 2020',
  ])('reads %j', (question) => {
    expect(model.unreadable(question).share).toBe(0);
  });

  it('counts the characters of an identifier as unreadable', () => {
    const { share, identifiers } = model.unreadable('What does ERR_3F2A91 mean?');
    expect(share).toBeCloseTo(10 / 22);
    expect(identifiers).toEqual(['ERR_3F2A91']);
  });

  it.each(['', ' \n', '... ?!', '😀'])('treats %j, which has no words, as readable', (text) => {
    expect(model.unreadable(text).share).toBe(0);
  });

  it('is independent of the Unicode normalisation', () => {
    expect(model.unreadable('Größe Straße Käse'.normalize('NFD')).share).toBe(
      model.unreadable('Größe Straße Käse').share,
    );
  });

  it('cannot read words of more than a hundred characters', () => {
    expect(model.unreadable('harbour'.repeat(20)).share).toBe(1);
  });
});

describe('Readability of the bundled multilingual model', () => {
  let model: Readability;
  beforeAll(async () => {
    model = await Readability.of('unigram', 'latin');
  });

  it.each(IDENTIFIERS)('cannot read %s', (identifier) => {
    expect(model.unreadable(identifier).share).toBe(1);
  });

  it.each([
    'Как долго товары могут оставаться в порту?',
    'كم يمكن أن تبقى البضائع في الميناء؟',
    'माल बंदरगाह में कितने समय तक रह सकता है?',
    '货物可以在港口停留多长时间？',
    '貨物は港にどのくらい置けますか。',
    '화물은 항구에 얼마나 머물 수 있습니까?',
    'สินค้าสามารถอยู่ในท่าเรือได้นานเท่าใด',
  ])('reads %j', (question) => {
    expect(model.unreadable(question).share).toBe(0);
  });

  it.each([
    'How long may goods stay in the port?',
    'Wie lange dürfen Güter im Hafen bleiben?',
    'Hàng hóa có thể ở lại cảng bao lâu?',
    'Mallar limanda ne kadar süre kalabilir?',
  ])('reads most of %j', (question) => {
    expect(model.unreadable(question).share).toBeLessThan(0.35);
  });

  it('counts an identifier inside Chinese and Korean text as unreadable', () => {
    expect(model.unreadable('请问ERR_3F2A91是什么意思').share).toBeCloseTo(10 / 17);
    expect(model.unreadable('ERR_3F2A91을 설명해 주세요').share).toBeCloseTo(10 / 17);
  });
});

describe('Readability of a hosted model', () => {
  let model: Readability;
  beforeAll(async () => {
    model = await Readability.of('byte-pair', 'identifiers');
  });

  it.each(IDENTIFIERS)('cannot read %s', (identifier) => {
    expect(model.unreadable(identifier).share).toBe(1);
  });

  it.each([
    'Как долго товары могут оставаться в порту?',
    '货物可以在港口停留多长时间？',
    'สินค้าสามารถอยู่ในท่าเรือได้นานเท่าใด',
    'qwzxk vbnmq',
    'JavaScript in Berlin',
  ])('reads %j', (question) => {
    expect(model.unreadable(question).share).toBe(0);
  });

  it('counts an identifier inside Chinese text as unreadable', () => {
    expect(model.unreadable('请问ERR_3F2A91是什么意思').share).toBeCloseTo(10 / 17);
  });
});

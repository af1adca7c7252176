import { isSayable, says } from './says.js';

describe('a text', () => {
  it.each([
    ['It cost 1,200 crowns.', '1200 crowns'],
    ['The last boat leaves at 17:30.', 'last boat leaves at 17:30'],
    ['Clock\n battery — LOW', 'the clock battery low'],
    ['Version 3.4 is out', '3.4'],
    ['船は十七時に出る', '十七時'],
    ['ﬁnal', 'final'],
  ])('%j says %j', (text, phrase) => {
    expect(says(text, phrase)).toBe(true);
  });

  it.each([
    ['It weighs 15 kg', '5 kg'],
    ['Version 3.45', '3.4'],
    ['Clock battery not low', 'clock battery low'],
    ['', 'anything'],
  ])('%j does not say %j', (text, phrase) => {
    expect(says(text, phrase)).toBe(false);
  });

  it('cannot say a phrase without a word', () => {
    expect(['—', 'the', 'E07', '船'].map(isSayable)).toEqual([false, false, true, true]);
  });
});

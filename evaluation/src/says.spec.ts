import { isSayable, says } from './says.js';

describe('a text', () => {
  it.each([
    ['It cost 1,200 crowns.', '1200 crowns'],
    ['The last boat leaves at 17:30.', 'last boat leaves at 17:30'],
    ['Clock\n battery — LOW', 'the clock battery low'],
    ['Version 3.4 is out', '3.4'],
    ['船は十七時に出る', '十七時'],
    ['ﬁnal', 'final'],
    ['It was -45 at night.', '−45'],
    ['–45 °C', '-45 °C'],
    ['a result of (1,200)', '-1200'],
    ['Net: (€45)', '-€45'],
    ['Net: -€45', '€-45'],
    ['Net: -45', '(45)'],
    ['within thirty (30) days', 'thirty (30) days'],
    ['within thirty (30) days', '30'],
    ['10-15 people, $10-$15, 5%-10%', '15 people 10 15 5 10'],
    ['error E-07, 2025-11-23, F-16', 'E 07 2025 11 23 F 16'],
    ['45 kg', '+45 kg'],
    ['C++, then C#.', 'C++ then C#'],
    ['C++17', 'C++'],
    ['issue#12', 'issue 12'],
  ])('%j contains %j', (text, phrase) => {
    expect(says(text, phrase)).toBe(true);
  });

  it.each([
    ['It weighs 15 kg', '5 kg'],
    ['Version 3.45', '3.4'],
    ['Clock battery not low', 'clock battery low'],
    ['', 'anything'],
    ['It was 45', '-45'],
    ['It was -45', '45'],
    ['It was −$45', '$45'],
    ['a 20-45 split', '-45'],
    ['C#', 'C++'],
    ['C++', 'C'],
  ])('%j does not contain %j', (text, phrase) => {
    expect(says(text, phrase)).toBe(false);
  });

  it('contains no phrase without a word', () => {
    expect(['—', 'the', 'E07', '船'].map(isSayable)).toEqual([false, false, true, true]);
  });
});

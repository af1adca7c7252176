import { addsTo } from './found.js';

describe('the excerpt of a found chat', () => {
  it.each([
    ['What happens at fog?', undefined, false],
    ['What happens at fog?', 'What happens at fog?', false],
    ['What happens\nat fog, and at dusk?', '…at fog, and…', false],
    ['What happens at fog?', 'The ferry waits for the fogbird.', true],
  ])('of “%s” is shown if it tells more than the title: %j', (title, excerpt, isShown) => {
    expect(addsTo(title, excerpt)).toBe(isShown);
  });
});

import { localUrl } from './local-url.js';

describe('localUrl', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:8000'],
    ['lectern.local', 'http://lectern.local:8000'],
    ['::1', 'http://[::1]:8000'],
    ['0.0.0.0', 'http://127.0.0.1:8000'],
    ['::', 'http://127.0.0.1:8000'],
  ])('of HOST=%s is %s', (HOST, url) => {
    expect(localUrl({ HOST, PORT: 8_000 })).toBe(url);
  });
});

import { plain, print, printJson } from './output.js';

const HOSTILE = 'safe \u001b]0;title\u0007\u001b[31mred\u009b2J\u007f\u202egnp.exe\r\nnext\tline\rover';

describe('plain', () => {
  it('shows what a terminal would obey, and keeps lines and tabs', () => {
    expect(plain(HOSTILE)).toBe('safe ␛]0;title␇␛[31mred\ufffd2J␡\ufffdgnp.exe\nnext\tline␍over');
  });

  it('keeps every other character', () => {
    const text = 'Grüße, 漢字, 👩‍🚀, \u00a0, ا';
    expect(plain(text)).toBe(text);
  });
});

describe('what is printed', () => {
  let printed: string;
  beforeEach(() => {
    printed = '';
    jest.spyOn(console, 'log').mockImplementation((text: string) => {
      printed += text;
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('contains no escape sequences', () => {
    print(HOSTILE);
    // eslint-disable-next-line no-control-regex -- the point of the test
    expect(printed).not.toMatch(/[\u001b\u0007\u009b\u007f\u202e\r]/);
  });

  it('is the same JSON', () => {
    printJson({ text: HOSTILE }, 2);
    expect(printed).not.toMatch(/[\u009b\u007f\u202e]/);
    expect(JSON.parse(printed)).toEqual({ text: HOSTILE });
  });
});

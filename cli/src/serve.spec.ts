import { readSettings } from '../../src/index.js';
import { banner, parseServeCommand } from './serve.js';

describe('the arguments of lectern serve', () => {
  it('become settings, without those that are not given', () => {
    expect(parseServeCommand([])).toEqual({});
    expect(parseServeCommand(['--port', '0', '--host', '::1', '--data', '/srv/lectern'])).toEqual({
      PORT: '0',
      HOST: '::1',
      DATA_DIR: '/srv/lectern',
    });
  });

  it.each([
    [['--port', '65536'], '--port must be a number from 0 to 65535'],
    [['--port', 'http'], '--port must be a number from 0 to 65535'],
    [['--data', ' '], '--data needs a value'],
    [['--prot', '1'], "Unknown option '--prot'"],
    [['here'], "Unexpected argument 'here'"],
  ])('%j are rejected', (args, message) => {
    expect(() => parseServeCommand(args)).toThrow(message);
  });
});

describe('the output of lectern serve', () => {
  it.each([
    [{ DATA_DIR: '/nowhere' }, 'created earlier; create another with `lectern keys create`'],
    [{ ADMIN_KEY: 'k3hfuw8ebfiqwzr73bfe' }, 'the value of ADMIN_KEY'],
    [{ AUTH_MODE: 'none' }, 'not needed (AUTH_MODE=none)'],
  ])('prints where the key is with %j, and no secret', (environment, place) => {
    const text = banner('http://127.0.0.1:8000', readSettings(environment), false);
    expect(text).toContain(place);
    expect(text).toContain('http://127.0.0.1:8000/docs');
    expect(text).not.toContain('k3hfuw8ebfiqwzr73bfe');
  });
});

describe('a data folder in node_modules', () => {
  it('is rejected: an install may empty it', () => {
    const start = () => readSettings({ DATA_DIR: '/srv/app/node_modules/lectern/data' });
    expect(start).toThrow('DATA_DIR /srv/app/node_modules/lectern/data is inside node_modules');
  });
});

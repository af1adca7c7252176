import { randomBytes } from 'node:crypto';
import { readSettings } from './read-settings.js';

const RANDOM = randomBytes(40).toString('hex');

describe('secrets', () => {
  it.each([
    [{ JWT_SECRET: 'short' }, 'JWT_SECRET is shorter than 32 bytes'],
    [{ JWT_SECRET: 'change-me-change-me-change-me-change-me' }, 'JWT_SECRET is a published placeholder'],
    [{ JWT_SECRET: 'x'.repeat(40) }, 'JWT_SECRET is a published placeholder'],
    [{ JWT_SECRET_PREVIOUS: 'short' }, 'JWT_SECRET_PREVIOUS is shorter than 32 bytes'],
    [{ JWT_SECRET_PREVIOUS: 'x'.repeat(40) }, 'JWT_SECRET_PREVIOUS is a published placeholder'],
    [{ ADMIN_KEY: 'too short' }, 'ADMIN_KEY is too short or a placeholder'],
    [{ ADMIN_KEY: 'your-secret-key-here' }, 'ADMIN_KEY is too short or a placeholder'],
    [{ DATABASE_URL: 'postgres://127.0.0.1/lectern' }, 'JWT_SECRET is required with DATABASE_URL'],
  ])('prevent the start when they can be guessed: %j', (environment, problem) => {
    expect(() => readSettings(environment)).toThrow(problem);
  });

  it('are accepted when they are random', () => {
    const environment = { JWT_SECRET: RANDOM, JWT_SECRET_PREVIOUS: `${RANDOM}1`, ADMIN_KEY: RANDOM };
    expect(readSettings(environment)).toMatchObject(environment);
  });
});

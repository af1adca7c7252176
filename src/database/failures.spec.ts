import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { DeadlineExceeded, Unavailable } from '../errors/index.js';
import { databaseFailure } from './failures.js';

const failed = (error: Error) => new QueryFailedError('select secret', [], error);
const coded = (code: string) => failed(Object.assign(new Error('secret'), { code }));

describe('databaseFailure', () => {
  it.each([
    coded('57P01'),
    coded('25P03'),
    Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
    failed(new Error('Connection terminated unexpectedly')),
    new Error('Connection terminated due to connection timeout'),
    // Messages about a cluster node. The coordinator passes them on.
    failed(Object.assign(new Error('server closed the connection unexpectedly\n\tThis'), { code: 'XX000' })),
    failed(Object.assign(new Error('failed to COPY to shard 102032 on db:5432'), { code: '58030' })),
    failed(Object.assign(new Error('postmaster was shut down, exiting'), { code: 'XX000' })),
    new QueryRunnerAlreadyReleasedError(),
    new QueryRunnerProviderAlreadyReleasedError(),
  ])('recognises a lost connection: %s', (error) => {
    expect(databaseFailure(error)).toMatchObject({
      status: 503,
      message: 'The database is not reachable',
      retryAfterSeconds: 5,
    });
  });

  it('recognises a pool without a free connection', () => {
    expect(databaseFailure(new Error('timeout exceeded when trying to connect'))).toMatchObject({
      status: 503,
      message: 'No connection to the database was free in time',
    });
  });

  it.each(['57014', '55P03'])('recognises a statement or lock timeout: %s', (code) => {
    expect(databaseFailure(coded(code))).toBeInstanceOf(DeadlineExceeded);
  });

  it.each(['40001', '40P01'])('recognises a serialization failure or deadlock: %s', (code) => {
    expect(databaseFailure(coded(code))).toMatchObject({
      status: 503,
      message: 'The database rolled this transaction back in favour of another',
      retryAfterSeconds: 5,
    });
  });

  it('recognises a full disk and suggests a long delay before the retry', () => {
    expect(databaseFailure(coded('53100'))).toMatchObject({
      status: 503,
      message: 'The disk of the database is full',
      retryAfterSeconds: 60,
    });
  });

  it.each(['expected 16 dimensions, not 384', 'different halfvec dimensions 16 and 384'])(
    'recognises vectors of another model: %s',
    (message) => {
      const error = failed(Object.assign(new Error(message), { code: '22000' }));
      expect(databaseFailure(error)).toMatchObject({ status: 503 });
    },
  );

  it("returns the connection's own timeout error", () => {
    const silent = new Unavailable('silent');
    expect(databaseFailure(failed(silent))).toBe(silent);
  });

  it.each([coded('23505'), new Error('other'), new Unavailable('of another part'), null])(
    'ignores other errors: %s',
    (error) => {
      expect(databaseFailure(error)).toBeUndefined();
    },
  );
});

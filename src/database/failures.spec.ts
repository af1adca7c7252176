import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { DeadlineExceeded, Unavailable } from '../errors/index.js';
import { databaseFailure } from './failures.js';

const failed = (error: Error) => new QueryFailedError('select secret', [], error);
const coded = (code: string) => failed(Object.assign(new Error('secret'), { code }));

describe('a failure of the database', () => {
  it.each([
    coded('57P01'),
    coded('25P03'),
    Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
    failed(new Error('Connection terminated unexpectedly')),
    new Error('Connection terminated due to connection timeout'),
    // A node of a cluster, by way of its coordinator.
    failed(Object.assign(new Error('server closed the connection unexpectedly\n\tThis'), { code: 'XX000' })),
    failed(Object.assign(new Error('failed to COPY to shard 102032 on db:5432'), { code: '58030' })),
    failed(Object.assign(new Error('postmaster was shut down, exiting'), { code: 'XX000' })),
    new QueryRunnerAlreadyReleasedError(),
    new QueryRunnerProviderAlreadyReleasedError(),
  ])('is a lost connection: %s', (error) => {
    expect(databaseFailure(error)).toMatchObject({
      status: 503,
      message: 'The database is not reachable',
      retryAfterSeconds: 5,
    });
  });

  it('is a pool without a free connection', () => {
    expect(databaseFailure(new Error('timeout exceeded when trying to connect'))).toMatchObject({
      status: 503,
      message: 'No connection to the database was free in time',
    });
  });

  it.each(['57014', '55P03'])('is a statement or a lock that took too long: %s', (code) => {
    expect(databaseFailure(coded(code))).toBeInstanceOf(DeadlineExceeded);
  });

  it.each(['40001', '40P01'])('is a transaction that gave way to another: %s', (code) => {
    expect(databaseFailure(coded(code))).toMatchObject({
      status: 503,
      message: 'The database undid this for another transaction',
      retryAfterSeconds: 5,
    });
  });

  it('is a full disk, which nobody can wait for', () => {
    expect(databaseFailure(coded('53100'))).toMatchObject({
      status: 503,
      message: 'The disk of the database is full',
      retryAfterSeconds: 60,
    });
  });

  it('is what the connection ended a statement with', () => {
    const silent = new Unavailable('silent');
    expect(databaseFailure(failed(silent))).toBe(silent);
  });

  it.each([coded('23505'), new Error('other'), new Unavailable('of another part'), null])(
    'is not: %s',
    (error) => {
      expect(databaseFailure(error)).toBeUndefined();
    },
  );
});

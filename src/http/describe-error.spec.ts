import { NotFoundException } from '@nestjs/common';
import { QueryFailedError } from 'typeorm';
import { Conflict, Invalid, ProviderFailed, TooManyRequests, Unauthorized } from '../errors/index.js';
import { describeError } from './describe-error.js';

const driverError = (code: string) =>
  new QueryFailedError('select secret', [], Object.assign(new Error('secret'), { code }));

describe('an error', () => {
  it.each([
    [new Conflict('It changed'), 409, 'It changed'],
    [new Unauthorized('No key'), 401, 'No key'],
    [new ProviderFailed('The model refused'), 502, 'The model refused'],
    [new NotFoundException('Cannot GET /x'), 404, 'Not Found'],
    [Object.assign(new Error('FST'), { statusCode: 413 }), 413, 'The request body is too large'],
  ])('has its status and message: %s', (error, status, detail) => {
    expect(describeError(error, 'id')).toEqual({ status, detail });
  });

  it('includes Retry-After', () => {
    expect(describeError(new TooManyRequests('Slowly', 7), 'id')).toEqual({
      status: 429,
      detail: 'Slowly',
      retryAfterSeconds: 7,
    });
  });

  it('tells whether a retry would fail too', () => {
    const refused = new ProviderFailed('The key was refused', undefined, { isLasting: true });
    expect(describeError(refused, 'id')).toEqual({
      status: 502,
      detail: 'The key was refused',
      isLasting: true,
    });
  });

  it('lists all validation errors', () => {
    const { status, detail } = describeError(Invalid.at(['body', 'k'], 'No', 'int_type'), 'id');
    expect([status, detail]).toEqual([422, [{ loc: ['body', 'k'], msg: 'No', type: 'int_type' }]]);
  });

  it.each([
    new Error('select secret from table'),
    driverError('42601'),
    Object.assign(new Error('secret'), { statusCode: 500 }),
    'a string',
    undefined,
    null,
  ])('contains only the request id if it is unexpected: %s', (error) => {
    expect(describeError(error, 'abc')).toEqual({
      status: 500,
      detail: 'Internal server error (request id abc)',
    });
  });

  it.each([
    Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
    new Error('Connection terminated unexpectedly'),
    driverError('57P01'),
    driverError('08006'),
  ])('of a lost database connection includes Retry-After: %s', (error) => {
    expect(describeError(error, 'id')).toEqual({
      status: 503,
      detail: 'The database is not reachable',
      retryAfterSeconds: 5,
    });
  });

  it('of a statement timeout includes Retry-After', () => {
    expect(describeError(driverError('57014'), 'id')).toEqual({
      status: 504,
      detail: 'The database took too long for a statement',
      retryAfterSeconds: 5,
    });
  });
});

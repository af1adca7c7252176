import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { SchemaWatch } from './schema-watch.js';

describe('SchemaWatch', () => {
  const query = jest.fn<Promise<{ name: string }[]>, [string]>();
  const kill = jest.spyOn(process, 'kill');
  const watch = new SchemaWatch({ options: {}, query } as unknown as DataSource);

  beforeAll(() => {
    Logger.overrideLogger(false);
    jest.useFakeTimers();
    kill.mockReturnValue(true);
    watch.onApplicationBootstrap();
  });
  afterAll(() => {
    watch.onModuleDestroy();
    jest.useRealTimers();
    kill.mockRestore();
    Logger.overrideLogger(true);
  });

  it('sends one statement a second, also after one that failed', async () => {
    query.mockRejectedValueOnce(new Error('the connection is lost'));
    query.mockResolvedValue([{ name: 'Initial1700000030000' }]);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(query).toHaveBeenCalledTimes(5);
    expect(kill).not.toHaveBeenCalled();
  });

  it('ends the process once when a later version has migrated the database', async () => {
    query.mockResolvedValue([{ name: 'Initial1700000030000' }, { name: 'Later9900000000000' }]);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(kill.mock.calls).toEqual([[process.pid, 'SIGTERM']]);
  });
});

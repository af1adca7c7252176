import { Logger } from '@nestjs/common';
import { settingsWith } from '../../test/support/settings.js';
import { Sweep } from './sweep.js';
import { until } from '../../test/support/until.js';

/** Records what it does; a sweep and the work in the background end when `finish` is called. */
class RecordedSweep extends Sweep {
  readonly seen: string[] = [];
  private endAll: () => void = () => undefined;
  private readonly ended = new Promise<void>((resolve) => {
    this.endAll = resolve;
  });

  constructor(worker: 'inline' | 'off', everyMs = 60_000) {
    super(settingsWith({ WORKER: worker }), 'cannot look', everyMs);
  }

  finish(): void {
    this.endAll();
  }

  async sweep(): Promise<void> {
    this.seen.push('sweep');
    await this.ended;
    this.seen.push(this.stopping.aborted ? 'stopped' : 'swept');
  }

  protected override prepare(): Promise<void> {
    this.seen.push('prepare');
    return Promise.resolve();
  }

  begin(key: string): Promise<void> {
    return this.inBackground(key, async () => {
      this.seen.push(`begin ${key}`);
      await this.ended;
      this.seen.push(`end ${key}`);
    });
  }
}

class FailingSweep extends Sweep {
  count = 0;

  constructor() {
    super(settingsWith(), 'cannot look', 1);
  }

  sweep(): Promise<void> {
    this.count += 1;
    return Promise.reject(new Error('the database is away'));
  }
}

describe('Sweep', () => {
  it('does not delay the start, and ends before the stop', async () => {
    const sweep = new RecordedSweep('inline');
    await sweep.onApplicationBootstrap();
    const stop = sweep.beforeApplicationShutdown();
    sweep.finish();
    await stop;
    expect(sweep.seen).toEqual(['prepare', 'sweep', 'stopped']);
  });

  it('does nothing in a process without a worker', async () => {
    const sweep = new RecordedSweep('off');
    await sweep.onApplicationBootstrap();
    await sweep.beforeApplicationShutdown();
    expect(sweep.seen).toEqual([]);
  });

  it('runs work once per key at a time, and the stop waits for it', async () => {
    const sweep = new RecordedSweep('off');
    void sweep.begin('a');
    void sweep.begin('b');
    void sweep.begin('a');
    const stop = sweep.beforeApplicationShutdown();
    sweep.finish();
    await stop;
    expect(sweep.seen).toEqual(['begin a', 'begin b', 'end a', 'end b']);
    await sweep.begin('a');
    expect(sweep.seen.slice(4)).toEqual(['begin a', 'end a']);
  });

  it('logs a failure and sweeps again', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    const sweep = new FailingSweep();
    await sweep.onApplicationBootstrap();
    await until('the third sweep begins', () => sweep.count >= 3);
    await sweep.beforeApplicationShutdown();
    expect(logged.mock.calls[0]).toEqual([
      { err: new Error('the database is away') },
      'cannot look; trying again later',
    ]);
    logged.mockRestore();
  });
});

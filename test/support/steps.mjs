import { Session } from 'node:inspector/promises';

/**
 * Counts the steps of work: how often functions and blocks of JavaScript run (V8's precise coverage). The number does not
 * depend on the speed of the machine. Blocks are counted only in modules that are loaded after `start`; a native function
 * counts as no step.
 */
export class StepCounter {
  session = new Session();

  async start() {
    this.session.connect();
    await this.session.post('Profiler.enable');
    await this.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Steps of work until its promise settles. */
  async count(work) {
    await this.taken(); // forgets what ran before
    await work();
    return this.taken();
  }

  async stop() {
    await this.session.post('Profiler.stopPreciseCoverage');
    this.session.disconnect();
  }

  /** Steps since the last call. */
  async taken() {
    const { result } = await this.session.post('Profiler.takePreciseCoverage');
    let steps = 0;
    for (const { url, functions } of result) {
      if (url.startsWith('node:')) continue;
      for (const { ranges } of functions) for (const { count } of ranges) steps += count;
    }
    return steps;
  }
}

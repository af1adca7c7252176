import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Counts the steps of reading files, in a process of its own. */
export class StepsOfReading {
  private constructor(private readonly reader: ChildProcess) {}

  static async start(): Promise<StepsOfReading> {
    const script = join(process.cwd(), 'test', 'support', 'steps-of-reading.mjs');
    const reader = fork(script, { serialization: 'advanced', execArgv: [] });
    await once(reader, 'message');
    return new StepsOfReading(reader);
  }

  async of(bytes: Uint8Array, filename: string): Promise<number> {
    this.reader.send({ bytes, filename });
    const [steps] = (await once(this.reader, 'message')) as [number];
    return steps;
  }

  stop(): void {
    this.reader.kill();
  }
}

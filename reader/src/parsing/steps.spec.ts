import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { WORST_FILES } from '../../../test/support/worst-files.js';

const SIZE = 8_000;
const TIMES = 4;
/** Growth of the steps when the file grows by `TIMES`. A quadratic part would make it 16. */
const MOST = TIMES * 1.4;
/** Steps that do not depend on the size. */
const CONSTANT = 30_000;

/** The work for a file is in proportion to its size, whatever it contains. Counts steps, not seconds. */
describe('reading the worst file of each grammar', () => {
  let reader: ChildProcess;
  beforeAll(async () => {
    const script = join(process.cwd(), 'test', 'support', 'steps-of-reading.mjs');
    reader = fork(script, { serialization: 'advanced', execArgv: [] });
    await once(reader, 'message');
  });
  afterAll(() => reader.kill());

  const stepsOf = async (bytes: Uint8Array, filename: string): Promise<number> => {
    reader.send({ bytes, filename });
    const [steps] = (await once(reader, 'message')) as [number];
    return steps;
  };

  it.each(WORST_FILES)('$name', async ({ make, filename }) => {
    await stepsOf(make(SIZE / 8), filename); // loads the modules
    const few = await stepsOf(make(SIZE), filename);
    const many = await stepsOf(make(SIZE * TIMES), filename);
    process.stderr.write(`${filename} ${few} ${many} ${(many / few).toFixed(2)}\n`);
    expect(many).toBeLessThanOrEqual(CONSTANT + MOST * few);
  });
});

import { StepsOfReading } from '../../../test/support/reading-steps.js';
import { WORST_FILES } from '../../../test/support/worst-files.js';

const SIZE = 8_000;
const TIMES = 4;
/** Growth of the steps when the file grows by `TIMES`. A quadratic part would make it 16. */
const MOST = TIMES * 1.4;
/** Steps that do not depend on the size. */
const CONSTANT = 30_000;

/** The work for a file is in proportion to its size, whatever it contains. Counts steps, not seconds. */
describe('reading the worst file of each grammar', () => {
  let steps: StepsOfReading;
  beforeAll(async () => {
    steps = await StepsOfReading.start();
  });
  afterAll(() => {
    steps.stop();
  });

  it.each(WORST_FILES)('$name', async ({ make, filename }) => {
    await steps.of(make(SIZE / 8), filename); // loads the modules
    const few = await steps.of(make(SIZE), filename);
    const many = await steps.of(make(SIZE * TIMES), filename);
    process.stderr.write(`${filename} ${few} ${many} ${(many / few).toFixed(2)}\n`);
    expect(many).toBeLessThanOrEqual(CONSTANT + MOST * few);
  });
});

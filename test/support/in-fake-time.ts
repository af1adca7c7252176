/** Milliseconds of fake time between two looks. */
const STEP_MS = 250;

/** Lets the fake time of Jest pass in small steps until the work is over, however long it waits. */
export async function inFakeTime<T>(work: Promise<T>): Promise<T> {
  const progress = { isOver: false };
  const over = (): void => {
    progress.isOver = true;
  };
  work.then(over, over);
  for (; !progress.isOver;) await jest.advanceTimersByTimeAsync(STEP_MS);
  return work;
}

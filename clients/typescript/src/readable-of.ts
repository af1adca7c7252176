/**
 * A stream of what a generator yields. Cancelling it ends the generator.
 *
 * @param source ends too; needed if the generator may not have begun to read it
 */
export function readableOf<Chunk>(
  chunks: AsyncGenerator<Chunk, void, undefined>,
  source?: AsyncGenerator<unknown, void, undefined>,
): ReadableStream<Chunk> {
  return new ReadableStream({
    async pull(controller) {
      const next = await chunks.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await chunks.return();
      await source?.return();
    },
  });
}

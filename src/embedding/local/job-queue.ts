/**
 * Whose turn it is at the model. The jobs take turns: `next` moves the job it returns to the end of the line, so that a
 * short job waits for one text of each job before it, never for a whole batch.
 */
export class JobQueue<T extends { readonly id: number }> {
  private readonly line = new Map<number, T>();

  add(job: T): void {
    this.line.set(job.id, job);
  }

  /** Removes a finished or cancelled job; one that is not there is fine. */
  remove(id: number): void {
    this.line.delete(id);
  }

  clear(): void {
    this.line.clear();
  }

  next(): T | undefined {
    const [job] = this.line.values();
    if (job === undefined) return undefined;
    this.line.delete(job.id);
    this.line.set(job.id, job);
    return job;
  }
}

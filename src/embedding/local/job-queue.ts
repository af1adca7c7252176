interface Job {
  readonly id: number;
  readonly urgent: boolean;
}

/**
 * Whose turn it is at the model. Urgent jobs go before the others, and within each kind the jobs take turns: `next`
 * moves the job it returns to the end of its line, so that a query waits for one text of each job before it, never
 * for a whole batch.
 */
export class JobQueue<T extends Job> {
  private readonly urgent = new Map<number, T>();
  private readonly patient = new Map<number, T>();

  add(job: T): void {
    (job.urgent ? this.urgent : this.patient).set(job.id, job);
  }

  /** Removes a finished or cancelled job; one that is not there is fine. */
  remove(id: number): void {
    this.urgent.delete(id);
    this.patient.delete(id);
  }

  clear(): void {
    this.urgent.clear();
    this.patient.clear();
  }

  next(): T | undefined {
    const line = this.urgent.size > 0 ? this.urgent : this.patient;
    const [job] = line.values();
    if (job === undefined) return undefined;
    line.delete(job.id);
    line.set(job.id, job);
    return job;
  }
}

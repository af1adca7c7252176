/**
 * What the patterns of one filter may cost to look into, together: reading them is synchronous, and other requests wait
 * meanwhile. A unit is about 20 ns.
 */
export class WorkBudget {
  private spent = 0;

  constructor(private readonly most = 1_500_000) {}

  /** Whether something was spent before. */
  get isTouched(): boolean {
    return this.spent > 0;
  }

  /** Whether there is enough for so many units, which are gone then. */
  spend(units: number): boolean {
    this.spent += units;
    return this.spent <= this.most;
  }
}

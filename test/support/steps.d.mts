export declare class StepCounter {
  start(): Promise<void>;
  count(work: () => unknown): Promise<number>;
  stop(): Promise<void>;
}

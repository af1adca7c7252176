import type { Progress } from '../corpus/document-row.js';

const STEPS = ['queued', 'parsing', 'embedding', 'storing'] as const;
export type Step = (typeof STEPS)[number];

/** Where a document stands; `share` (0 to 1) is what the step itself has done. */
export function progressAt(step: Step, share: number): Progress {
  const index = STEPS.indexOf(step);
  return {
    current_step: index,
    total_steps: STEPS.length - 1,
    step_name: step,
    percentage: Math.round(((Math.max(0, index - 1) + (index === 0 ? 0 : share)) / (STEPS.length - 1)) * 100),
  };
}

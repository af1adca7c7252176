import fc from 'fast-check';

/** Seed of random tests: fixed for `npm test`, random every night. SEED repeats a run. */
const SEED = Number(process.env['SEED'] ?? 20_261_121);

fc.configureGlobal({ seed: SEED });

export { fc };

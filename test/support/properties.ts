import fc from 'fast-check';

/** Seed of random tests: fixed in `npm test`, random in the nightly run. To repeat a run, set SEED to its seed. */
const SEED = Number(process.env['SEED'] ?? 20_261_121);

fc.configureGlobal({ seed: SEED });

export { fc };

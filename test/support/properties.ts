import fc from 'fast-check';

/** Where random tests begin: the same at every run of `npm test`, another one every night. SEED repeats a run. */
const SEED = Number(process.env['SEED'] ?? 20_261_121);

fc.configureGlobal({ seed: SEED });

export { fc };

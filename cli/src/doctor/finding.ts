/** Result of a check, printed as one line. */
export interface Finding {
  readonly state: 'ok' | 'warn' | 'fail';
  /** What the check found. Includes the remedy unless `state` is `ok`. */
  readonly sentence: string;
}

export interface Check {
  readonly name: string;
  /** @throws any error: the check then fails, and `mend` is the remedy. */
  readonly look: () => Promise<Finding>;
  readonly mend: string;
}

export const ok = (sentence: string): Finding => ({ state: 'ok', sentence });
export const warn = (sentence: string): Finding => ({ state: 'warn', sentence });
export const fail = (sentence: string): Finding => ({ state: 'fail', sentence });

/** Timeout of a check: long enough to load a model or to get an answer from a provider. */
const TIMEOUT_MS = 30_000;

/** Runs a check and converts an error to a finding. */
export async function findingOf({ look, mend }: Check): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => {
      resolve(fail(`no response within ${TIMEOUT_MS / 1_000} s. ${mend}`));
    }, TIMEOUT_MS);
  });
  try {
    return await Promise.race([look(), silence]);
  } catch (error) {
    return fail(`${messageOf(error)}. ${mend}`);
  } finally {
    clearTimeout(timer);
  }
}

/** Error message on one line, without a full stop. */
export function messageOf(error: unknown): string {
  const { message, code, cause } = error as Error & { readonly code?: string };
  const reason = (cause as { readonly code?: string } | undefined)?.code;
  const words = message === '' ? (code ?? 'no reason given') : message;
  return `${words.replaceAll(/\s+/g, ' ').replace(/\.$/, '')}${reason === undefined || words.includes(reason) ? '' : ` (${reason})`}`;
}

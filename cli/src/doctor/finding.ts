/** What a look at one thing has found: a line for a person. */
export interface Finding {
  readonly state: 'ok' | 'warn' | 'fail';
  /** What was found, and what mends it unless it is ok. */
  readonly sentence: string;
}

export interface Check {
  /** What is looked at. */
  readonly name: string;
  /** @throws whatever the look fails with: that is a `fail`, mended as `mend` says. */
  readonly look: () => Promise<Finding>;
  readonly mend: string;
}

export const ok = (sentence: string): Finding => ({ state: 'ok', sentence });
export const warn = (sentence: string): Finding => ({ state: 'warn', sentence });
export const fail = (sentence: string): Finding => ({ state: 'fail', sentence });

/** How long one look may take: models load and providers answer within it, or something is wrong. */
const PATIENCE_MS = 30_000;

/** Looks, and makes a finding of whatever comes of it. */
export async function findingOf({ look, mend }: Check): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => {
      resolve(fail(`no answer within ${PATIENCE_MS / 1_000} s. ${mend}`));
    }, PATIENCE_MS);
  });
  try {
    return await Promise.race([look(), silence]);
  } catch (error) {
    return fail(`${messageOf(error)}. ${mend}`);
  } finally {
    clearTimeout(timer);
  }
}

/** In one line, without a full stop. */
export function messageOf(error: unknown): string {
  const { message, code, cause } = error as Error & { readonly code?: string };
  const reason = (cause as { readonly code?: string } | undefined)?.code;
  const words = message === '' ? (code ?? 'no reason given') : message;
  return `${words.replaceAll(/\s+/g, ' ').replace(/\.$/, '')}${reason === undefined || words.includes(reason) ? '' : ` (${reason})`}`;
}

import { Invalid, LecternError, PayloadTooLarge, ProviderFailed } from '../../errors/index.js';
import type { Rule } from './rule.js';

/** A rule could not be carried out, and nothing of its content is stored. */
export class RuleFailed extends ProviderFailed {
  /** @param permanent trying again would fail as well */
  constructor(
    reason: string,
    readonly permanent: boolean,
    retryAfterSeconds?: number,
    options?: ErrorOptions,
  ) {
    super(reason, retryAfterSeconds, options);
  }
}

/** The content has more parts than one rule may ask the model about. */
export class TooLongForRules extends PayloadTooLarge {}

/**
 * What a failed rule is told as. A busy or slow provider's wait is kept.
 * @param permanent whether the same answer would come again
 */
export function ruleFailure(error: unknown, index: number, rule: Rule, permanent: boolean): unknown {
  if (error instanceof TooLongForRules || !(error instanceof LecternError)) return error;
  const reason = error instanceof Invalid ? error.items.map(({ msg }) => msg).join('; ') : error.message;
  const isPermanent = error instanceof RuleFailed ? error.permanent : permanent;
  return new RuleFailed(
    `Rule ${index} (${rule.type}) failed: ${reason}`,
    isPermanent,
    error.retryAfterSeconds,
    { cause: error },
  );
}

/** What a tenant or a person has at a time. Deletion gives it back. */
export const STOCKS = ['documents', 'bytes', 'folders', 'stores', 'chats', 'webhooks'] as const;

/** What a tenant or a person uses in a day (UTC). */
export const FLOWS = ['pages', 'model_tokens', 'browser_tokens'] as const;

export const QUOTA_KINDS = [...STOCKS, ...FLOWS] as const;

export type Stock = (typeof STOCKS)[number];
export type Flow = (typeof FLOWS)[number];
export type QuotaKind = Stock | Flow;

/** Bounds by kind. A kind without a bound is not limited. */
export type Quotas = { readonly [K in QuotaKind]?: number };

const UNITS: Readonly<Record<string, number>> = { '': 1, KB: 1_024, MB: 1_024 ** 2, GB: 1_024 ** 3 };

/** Parses `documents=1000,bytes=2GB`. @throws Error with one sentence */
export function parseQuotas(raw: string): Quotas {
  const quotas: { [K in QuotaKind]?: number } = {};
  for (const part of raw.split(',').map((text) => text.trim())) {
    if (part === '') continue;
    const [, name, number, unit = ''] = /^(\w+)=(\d{1,15})(KB|MB|GB)?$/.exec(part) ?? [];
    const kind = QUOTA_KINDS.find((one) => one === name);
    const factor = kind === 'bytes' || unit === '' ? UNITS[unit] : undefined;
    const bound = Number(number) * (factor ?? NaN);
    if (kind === undefined || !Number.isSafeInteger(bound)) {
      throw new Error(
        `expects bounds such as documents=1000,bytes=2GB, with the names ${QUOTA_KINDS.join(', ')}, got "${part}"`,
      );
    }
    quotas[kind] = bound;
  }
  return quotas;
}

/**
 * The delay in a `Retry-After` header, in milliseconds. The header contains seconds or a date (RFC 9110, section
 * 10.2.3).
 */
export function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

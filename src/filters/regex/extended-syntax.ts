/**
 * A pattern without what the flag `x` lets a reader pass over: white space and `#` comments outside classes,
 * quotations and escapes. RE2 has no such flag.
 */
export function withoutLayout(pattern: string): string {
  const token =
    /\\Q[^]*?(?:\\E|$)|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]?|[ \t\n\v\f\r]+|#[^\n]*\n?|[^]/g;
  return pattern.replace(token, (text) => (/^[ \t\n\v\f\r#]/.test(text) ? '' : text));
}

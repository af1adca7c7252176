const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/**
 * What every page of the service is sent with: nothing from elsewhere, no inline script, no frame around it; images of
 * pages may be data URIs and blobs.
 * @param styles where styles may come from
 */
export function pageHeaders(styles = "'self'"): Record<string, string> {
  return {
    'content-security-policy': [...POLICY, `style-src ${styles}`].join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  };
}

/** A random id. Browsers do not offer `crypto.randomUUID` on pages without TLS. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `playground-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

import type { JSX } from 'preact';
import { encode } from 'uqr';

/** A text as a QR code, dark on light in every theme, because cameras expect it so. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const { data, size } = encode(text, { border: 2 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}

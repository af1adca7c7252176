const BROWSERS = [
  ['Edge', /\bEdg\w*\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
] as const;

const SYSTEMS = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const;

/** Names a device for people by its `User-Agent`, such as `Firefox on Linux`. */
export function deviceNameOf(userAgent: string | undefined): string {
  const find = (names: readonly (readonly [string, RegExp])[]): string | undefined =>
    names.find(([, pattern]) => pattern.test(userAgent ?? ''))?.[0];
  const browser = find(BROWSERS) ?? 'Browser';
  const system = find(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}

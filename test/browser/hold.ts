/** A promise for the routes of a browser spec to wait for, and the function that resolves it. */
export function hold(): { readonly held: Promise<void>; readonly release: () => void } {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { held, release };
}

/**
 * Returns why compiled code does not show what the sources do, or undefined.
 *
 * @param root folder of the checkout
 */
export function staleBuild(root: string): string | undefined;

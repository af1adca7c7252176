/** Shows the sources of all answers on paper, and prints the chat. The browser can save it as PDF. */
export function printChat(): void {
  const closed = [...document.querySelectorAll<HTMLDetailsElement>('details.sources:not([open])')];
  for (const details of closed) details.open = true;
  window.addEventListener(
    'afterprint',
    () => {
      for (const details of closed) details.open = false;
    },
    { once: true },
  );
  window.print();
}

/** Whether the excerpt of a found chat tells more than its title, which is often the question that was found. */
export function addsTo(title: string, excerpt: string | undefined): boolean {
  if (excerpt === undefined) return false;
  return !plain(title).includes(plain(excerpt));
}

function plain(text: string): string {
  return text.replaceAll(/…|\s+/g, ' ').trim().toLowerCase();
}

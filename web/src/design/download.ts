/** Offers a file. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** Offers a text as a file. */
export function downloadText(name: string, type: string, text: string): void {
  download(name, new Blob([text], { type }));
}

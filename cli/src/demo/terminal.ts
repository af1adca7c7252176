const colour = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;

function style(code: number): (text: string) => string {
  return (text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
}

export const bold = style(1);
export const dim = style(2);
export const green = style(32);

/** Prints a transient line, which the next line replaces. Prints nothing if the output is not a terminal. */
export function passing(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[2K${text}`);
}

/** Prints a permanent line, which replaces a transient line. */
export function staying(text: string): void {
  passing('');
  console.log(text);
}

export function heading(text: string): void {
  console.log(`\n${bold(text)}\n`);
}

const WIDTH = 96;

/** Wraps text at spaces and indents each line by three spaces. */
export function wrapped(text: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + word.length + 1 > WIDTH) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].map((part) => `   ${part}`).join('\n');
}

const colour = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;

function style(code: number): (text: string) => string {
  return (text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
}

export const bold = style(1);
export const dim = style(2);
export const green = style(32);

/** A line that the next one takes the place of, on a terminal; elsewhere it would only pile up. */
export function passing(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[2K${text}`);
}

/** A line that stays, in the place of one that was passing. */
export function staying(text: string): void {
  passing('');
  console.log(text);
}

export function heading(text: string): void {
  console.log(`\n${bold(text)}\n`);
}

const WIDTH = 96;

/** Text broken at spaces and indented by three. */
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

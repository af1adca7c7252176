/**
 * A Markdown table of rows of cells; the first row is its header. Rows are filled up to the same width; pipes and line
 * ends in cells are escaped.
 */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const width = Math.max(0, ...rows.map((row) => row.length));
  if (width === 0) return '';
  const lines = rows.map((row) => `| ${Array.from({ length: width }, (_, i) => cell(row[i])).join(' | ')} |`);
  lines.splice(1, 0, `|${' --- |'.repeat(width)}`);
  return lines.join('\n');
}

function cell(text = ''): string {
  return text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');
}

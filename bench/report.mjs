/**
 * A report: `sizes` (what was measured, by name), `columns` and `rows` of the table, `ratios` (a sentence each). Cells
 * are strings or numbers; a number is printed with as many digits as it deserves.
 */
export function printReport({ sizes, columns, rows, ratios = [] }, machine) {
  console.log(describe(machine));
  console.log(describe(sizes));
  console.log('');
  console.log(table(columns, rows));
  for (const ratio of ratios) console.log(`\n${ratio}`);
}

function describe(facts) {
  return Object.entries(facts)
    .map(([name, value]) => `${name}: ${value}`)
    .join(' · ');
}

/** A Markdown table, numbers to the right, ready for docs/project/performance.md. */
function table(columns, rows) {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? digits(cell) : cell)));
  const numeric = columns.map((_, index) => rows.every((row) => typeof row[index] === 'number'));
  const widths = columns.map((column, index) =>
    Math.max(column.length, 3, ...cells.map((row) => row[index].length)),
  );
  const line = (row) =>
    `| ${row.map((cell, index) => (numeric[index] ? cell.padStart(widths[index]) : cell.padEnd(widths[index]))).join(' | ')} |`;
  const rule = widths.map((width, index) =>
    numeric[index] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  );
  return [line(columns), line(rule), ...cells.map(line)].join('\n');
}

/** Three significant digits, whole numbers from 100 on, a leading zero left to the reader's eye. */
function digits(number) {
  if (Number.isInteger(number)) return number.toLocaleString('en-US');
  return Math.abs(number) >= 100 ? Math.round(number).toLocaleString('en-US') : number.toPrecision(3);
}

/** The p-th percentile (nearest rank) of some numbers; NaN of none. */
export function percentile(numbers, p) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)] ?? NaN;
}

/**
 * Prints a report: `sizes` (the sizes of the measured data, by name), `columns` and `rows` of the table, and `ratios`
 * (one sentence for each ratio). Cells are strings, or numbers rounded to significant digits.
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

/** A Markdown table with right-aligned numbers, for docs/project/performance.md. */
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

/** Three significant digits, integers from 100 on, no leading zero. */
function digits(number) {
  if (Number.isInteger(number)) return number.toLocaleString('en-US');
  return Math.abs(number) >= 100 ? Math.round(number).toLocaleString('en-US') : number.toPrecision(3);
}

/** The p-th percentile (nearest rank); NaN if there are no numbers. */
export function percentile(numbers, p) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)] ?? NaN;
}

/** CSV for the clipboard. The service writes the files of exports (src/rfc/csv). */

/**
 * Matches the positions in a cell where a spreadsheet could find the start of a formula. Attack: CSV injection (OWASP).
 * The service's exports use the same expression.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[\s"']*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/g;

/** Lines of a CSV file. Every cell is in quotes. */
export function csvOf(lines: readonly (readonly (string | number | null)[])[]): string {
  return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string | number | null): string {
  const text = typeof value === 'string' ? value.replaceAll(FORMULA, "'") : String(value ?? '');
  return `"${text.replaceAll('"', '""')}"`;
}

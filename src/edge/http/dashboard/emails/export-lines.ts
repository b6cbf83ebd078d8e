/** An export in one of its formats, a text for each page. */
import type { ExportFormat, LoggedEmail } from '../../../../contract/dashboard/email-log.ts';

const COLUMNS = ['id', 'created_at', 'status', 'from', 'to', 'subject', 'tags'] as const;
/** A spreadsheet takes what begins like this for a formula, also behind blanks (OWASP, CSV Injection). */
const FORMULA = /^\s*[=+\-@\t\r]/;

export async function* exportLines(
  pages: AsyncIterable<readonly LoggedEmail[]>,
  format: ExportFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${COLUMNS.join(',')}\r\n`;
  const line = format === 'csv' ? csvLine : jsonLine;
  for await (const page of pages) yield page.map(line).join('');
}

function jsonLine(email: LoggedEmail): string {
  return `${JSON.stringify(email)}\n`;
}

function csvLine(email: LoggedEmail): string {
  const cells = COLUMNS.map((name) => {
    const value = email[name];
    return csvCell(typeof value === 'string' ? value : value.join(', '));
  });
  return `${cells.join(',')}\r\n`;
}

/** RFC 4180, with an apostrophe in front of what would be a formula. */
function csvCell(value: string): string {
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

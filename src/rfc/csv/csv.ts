/** Writes and reads comma-separated values (RFC 4180), including the variants that other programs write. */

/**
 * The first character of a formula (OWASP, CSV Injection), including the full-width forms. Attack: when a user opens an export, the
 * spreadsheet runs an email subject such as `Hi;=cmd|' /C calc'!A0`, although the subject does not begin with `=`. A spreadsheet whose
 * separator is `;` or tab ignores the quotes around a cell, and begins a new cell or row in the middle of the subject.
 */
const FORMULA = /[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/** Characters that a spreadsheet skips before a formula. */
const IGNORED = /[\s"']/;

/** Characters after which a new cell may begin. */
const SEPARATOR = /[;\t\r\n]/;

/** Writes a record with a line break. Every cell is quoted, and written so that no spreadsheet reads part of the cell as a formula. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: string): string {
  return `"${withApostrophes(value).replaceAll('"', '""')}"`;
}

export interface CsvRecord {
  cells: string[];
  /** The unchanged text of the record, without the line break. */
  text: string;
  /** The number of the line in which the record begins, from 0. */
  line: number;
}

export interface CsvOptions {
  separators: string;
  /** Whether the input ends with this text. */
  isEnd: boolean;
  /** The maximum number of records to read at a time. */
  max: number;
}

/**
 * Reads the first complete records of a text. An opening quote without a closing quote is literal.
 * @returns the records, and the number of characters and lines that were read
 */
export function csvRecords(
  text: string,
  { separators, isEnd, max }: CsvOptions,
): { records: CsvRecord[]; read: number; lines: number } {
  const records: CsvRecord[] = [];
  let read = 0;
  let lines = 0;
  while (read < text.length && records.length < max) {
    let found = recordAt(text, read, separators, isEnd, true);
    // More input may complete the record, so wait for it. But if the first record fills the whole text, read it as if the input ended here.
    if (found === null && read > 0 && !isEnd) break;
    found ??= recordAt(text, read, separators, true, false);
    if (found === null) break;
    const { cells, end, next } = found;
    records.push({ cells, text: text.slice(read, end), line: lines });
    lines += 1 + (text.slice(read, end).match(/\r\n|\r|\n/g)?.length ?? 0);
    read = next;
  }
  return { records, read, lines };
}

/** Reads a record. @param isEnd whether the end of the text ends the record @returns null if the record does not end in the text */
function recordAt(
  text: string,
  start: number,
  separators: string,
  isEnd: boolean,
  readsQuotes: boolean,
): { cells: string[]; end: number; next: number } | null {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  let isAtStart = true;
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') cell += text[++at] ?? '';
      else isQuoted = false;
    } else if (character === '"' && isAtStart && readsQuotes) {
      isQuoted = true;
      isAtStart = false;
    } else if (separators.includes(character)) {
      cells.push(withoutApostrophes(cell));
      cell = '';
      isAtStart = true;
    } else if (character === '\n' || character === '\r') {
      // The LF of this line break may be at the start of the next text.
      if (character === '\r' && at + 1 === text.length && !isEnd) return null;
      return {
        cells: [...cells, withoutApostrophes(cell)],
        end: at,
        next: character + text.charAt(at + 1) === '\r\n' ? at + 2 : at + 1,
      };
    } else {
      cell += character;
      isAtStart = false;
    }
  }
  if (isQuoted || !isEnd) return null;
  return { cells: [...cells, withoutApostrophes(cell)], end: text.length, next: text.length };
}

/** Inserts an apostrophe before each formula, so that spreadsheets show formulas as text. */
function withApostrophes(text: string): string {
  let written = '';
  let from = 0;
  for (const at of formulasIn(text)) {
    written += `${text.slice(from, at)}'`;
    from = at;
  }
  return written + text.slice(from);
}

/** Removes the apostrophes that `withApostrophes` inserts. */
function withoutApostrophes(text: string): string {
  let read = '';
  let from = 0;
  for (const at of formulasIn(text))
    if (text[at] === "'") {
      read += text.slice(from, at);
      from = at + 1;
    }
  return read + text.slice(from);
}

/** The positions, in ascending order, at which a spreadsheet could read a formula. Reads each character once. */
function formulasIn(text: string): number[] {
  const found: number[] = [];
  /** The starts of possible cells that contain only blanks and quotes so far. */
  let begun = [0];
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    const isSeparator = SEPARATOR.test(character);
    if (FORMULA.test(character)) {
      found.push(...begun);
      begun = [];
    } else if (isSeparator && character !== ';' && begun[0] === 0) {
      // Also disarm a cell that begins with a tab or a line break, because some spreadsheets drop such characters.
      found.push(0);
      begun.shift();
    } else if (!IGNORED.test(character)) begun = [];
    if (isSeparator) begun.push(at + 1);
  }
  return found;
}

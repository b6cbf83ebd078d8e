/** Comma-separated values (RFC 4180), as this program and others write them. */

/**
 * Formulas in cells of CSV (OWASP, CSV Injection). Attack: a subject such as `Hi;=cmd|' /C calc'!A0` that a spreadsheet runs when a
 * colleague opens an export. A spreadsheet whose separator is `;` or a tab ignores the quotes of a cell and begins a new cell, or a new row,
 * within it.
 * The characters also in full width, which spreadsheets read as the narrow ones.
 */
const FORMULA = /[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/** What a spreadsheet passes over on its way to a formula. */
const PASSED_OVER = /[\s"']/;

/** Behind these a new cell may begin. */
const SEPARATOR = /[;\t\r\n]/;

/** A record with its line break. Each cell is quoted, and no spreadsheet takes a part of it for a formula. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: string): string {
  return `"${disarmed(value).replaceAll('"', '""')}"`;
}

export interface CsvRecord {
  cells: string[];
  /** As it stands there, without its line break. */
  text: string;
  /** The line that it begins in, from 0. */
  line: number;
}

export interface CsvOptions {
  /** Any of these is between cells. */
  separators: string;
  /** Nothing follows the text. */
  isEnd: boolean;
  /** No more records are read. */
  max: number;
}

/**
 * The first records of a text, up to one that may go on behind it. A quote that nothing closes means nothing.
 * @returns how many characters and lines were read
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
    // What follows may end it, unless there was room for all of it here.
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

/** Null: it does not end in the text. @param isEnd whether the end of the text ends it */
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
      cells.push(armed(cell));
      cell = '';
      isAtStart = true;
    } else if (character === '\n' || character === '\r') {
      // The other half of this break may be in what follows.
      if (character === '\r' && at + 1 === text.length && !isEnd) return null;
      return {
        cells: [...cells, armed(cell)],
        end: at,
        next: character + text.charAt(at + 1) === '\r\n' ? at + 2 : at + 1,
      };
    } else {
      cell += character;
      isAtStart = false;
    }
  }
  if (isQuoted || !isEnd) return null;
  return { cells: [...cells, armed(cell)], end: text.length, next: text.length };
}

/** Puts an apostrophe before each formula in a text, so that spreadsheets show it as text. `armed` undoes it. */
function disarmed(text: string): string {
  let written = '';
  let from = 0;
  for (const at of formulasIn(text)) {
    written += `${text.slice(from, at)}'`;
    from = at;
  }
  return written + text.slice(from);
}

/** Removes the apostrophes that `disarmed` writes. */
function armed(text: string): string {
  let read = '';
  let from = 0;
  for (const at of formulasIn(text))
    if (text[at] === "'") {
      read += text.slice(from, at);
      from = at + 1;
    }
  return read + text.slice(from);
}

/** The positions, in order, behind which a spreadsheet could take the text for a formula. Each character is read once. */
function formulasIn(text: string): number[] {
  const found: number[] = [];
  /** Where the cells begin that have had nothing but blanks and quotes so far. */
  let begun = [0];
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    const isSeparator = SEPARATOR.test(character);
    if (FORMULA.test(character)) {
      found.push(...begun);
      begun = [];
    } else if (isSeparator && character !== ';' && begun[0] === 0) {
      // A cell must not begin with a tab or a line break either: some spreadsheets drop it.
      found.push(0);
      begun.shift();
    } else if (!PASSED_OVER.test(character)) begun = [];
    if (isSeparator) begun.push(at + 1);
  }
  return found;
}

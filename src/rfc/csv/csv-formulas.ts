/**
 * Formulas in cells of CSV (OWASP, CSV Injection). Attack: a subject such as `Hi;=cmd|' /C calc'!A0` that a spreadsheet runs when a
 * colleague opens an export. A spreadsheet whose separator is `;` or a tab ignores the quotes of a cell and begins a new cell, or a new row,
 * within it.
 */

/** Also in full width, which spreadsheets read as the narrow character. */
const FORMULA = /[=+\-@\uff1d\uff0b\uff0d\uff20]/;
/** What a spreadsheet passes over on its way to a formula. */
const PASSED_OVER = /[\s"']/;
/** Behind these a new cell may begin. */
const SEPARATOR = /[;\t\r\n]/;

/** Puts an apostrophe before each formula in a text, so that spreadsheets show it as text. `armed` undoes it. */
export function disarmed(text: string): string {
  let written = '';
  let from = 0;
  for (const at of formulasIn(text)) {
    written += `${text.slice(from, at)}'`;
    from = at;
  }
  return written + text.slice(from);
}

/** Removes the apostrophes that `disarmed` writes. */
export function armed(text: string): string {
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

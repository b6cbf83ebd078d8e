/** Tables that fit the terminal. Output to a file or a pipe is not shortened. */
import * as clock from '../../model/clock.ts';
import { printable } from '../../rfc/smtp/reply.ts';
import { print } from './command.ts';

export interface Column {
  title: string;
  /** Whether cells of the column may be shortened to fit the line. Ids are never shortened, because people copy ids. */
  isCut?: true;
}

const GAP = '  ';
const LEAST_WIDTH = 8;
/** Maximum number of characters in a cell. No terminal is this wide. Subjects are untrusted and of any length. */
const MAX_CELL = 1_000;

const graphemes = new Intl.Segmenter();
const ASCII = /^[\x20-\x7e]*$/;
/** Characters that are two columns wide in a terminal. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;

interface List<Item> {
  columns: readonly Column[];
  /** The cells of one item, in the order of the columns. */
  rowOf(item: Item): readonly string[];
  /** Printed in place of an empty table. */
  none: string;
}

/** Prints a list as the JSON of the API, or as a table. */
export function printList<Item>(
  json: boolean | undefined,
  list: { data: readonly Item[] },
  { columns, rowOf, none }: List<Item>,
): void {
  print(json, list, list.data.length === 0 ? none : table(columns, list.data.map(rowOf)));
}

/** @param width the width of the terminal, in columns */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number = process.stdout.columns ?? Number.POSITIVE_INFINITY,
): string {
  const lines = [columns.map(({ title }) => title), ...rows].map((row) =>
    row.map((cell) => printable(cell, MAX_CELL)),
  );
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => widthOf(line[at] ?? ''))));
  const available = width - GAP.length * (columns.length - 1);
  for (let over = sum(widths) - available; over > 0; over--) {
    const widest = columns.reduce(
      (best, { isCut }, at) => (isCut && (widths[at] ?? 0) > (widths[best] ?? 0) ? at : best),
      columns.findIndex(({ isCut }) => isCut),
    );
    if ((widths[widest] ?? 0) <= LEAST_WIDTH) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return lines
    .map((line) =>
      line
        .map((cell, at) => fit(cell, widths[at] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** Truncates a line to the width of the terminal. Output to a file or a pipe is limited only by `MAX_CELL`. */
export function fitTerminal(text: string): string {
  const line = printable(text, MAX_CELL);
  return process.stdout.columns === undefined ? line : fit(line, process.stdout.columns).trimEnd();
}

/** Truncates or pads the text to exactly `width` columns. */
function fit(text: string, width: number): string {
  const own = widthOf(text);
  if (own <= width) return text + ' '.repeat(width - own);
  let cut = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const more = widthOf(segment);
    if (used + more >= width) break;
    cut += segment;
    used += more;
  }
  return `${cut}…${' '.repeat(Math.max(0, width - used - 1))}`;
}

function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  return sum(Array.from(graphemes.segment(text), ({ segment }) => (WIDE.test(segment) ? 2 : 1)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Formats a time of the API, in UTC to the second: `2026-11-20 15:04:05`. */
export function timeInWords(time: string): string {
  return time.slice(0, 19).replace('T', ' ');
}

const UNITS: readonly [unit: string, seconds: number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
];

/** Formats how long ago a time of the API is, in one unit: `40s`, `5m`, `3h`, `12d`. */
export function age(time: string, nowMs: number = clock.nowMs()): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(time)) / 1_000));
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? ['s', 1];
  return `${Math.floor(seconds / size)}${unit}`;
}

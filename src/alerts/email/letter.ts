/** An email as blocks. Its text and its HTML (`letter-html.ts`) are written from the same blocks, so that they agree. */

/** The color of a label, which also says in words what the color means. */
export type Tone = 'bad' | 'warn' | 'good' | 'quiet';

export type Block =
  | { kind: 'title' | 'heading' | 'paragraph' | 'note'; text: string }
  /** A statement with a label above it, details below it, and a link. */
  | { kind: 'item'; tone: Tone; label: string; text: string; detail: string; link: Link | null }
  /** The first column has names, the others have numbers. */
  | { kind: 'table'; head: readonly string[]; rows: readonly (readonly string[])[] }
  | { kind: 'button' | 'link'; link: Link };

export interface Link {
  name: string;
  /** A URL of this installation. */
  url: string;
}

export interface Letter {
  subject: string;
  blocks: readonly Block[];
}

/** The maximum number of characters of a subject, so that it stays readable in a list. */
const MAX_SUBJECT = 150;

/** A subject of one line. Control characters and line breaks become spaces. */
export function subjectOf(text: string): string {
  const line = oneLine(text);
  return line.length <= MAX_SUBJECT ? line : `${line.slice(0, MAX_SUBJECT - 1).toWellFormed()}…`;
}

/** One line of text. Control characters, and characters that change the direction of text, become spaces. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\u{61c}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}]+/gu, ' ')
    .trim();
}

export function textOf({ blocks }: Letter): string {
  return `${blocks.map(blockText).join('\n\n')}\n`;
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'title':
    case 'paragraph':
      return oneLine(block.text);
    case 'heading':
      return `${oneLine(block.text)}\n${'-'.repeat(oneLine(block.text).length)}`;
    case 'note':
      return `--\n${oneLine(block.text)}`;
    case 'button':
    case 'link':
      return `${block.link.name}: ${block.link.url}`;
    case 'item': {
      const { label, text, detail, link } = block;
      return [`${oneLine(label)}: ${oneLine(text)}`, oneLine(detail), link?.url ?? '']
        .filter(Boolean)
        .join('\n');
    }
    case 'table':
      return tableText([block.head, ...block.rows]);
  }
}

function tableText(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Sends a file to the service in pieces. Each response gives the position at which the next piece begins. */
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { Reason } from './queries.ts';
import { number } from '../../../ui/amounts.ts';

const MAX_BYTES = 25_000_000;
const MAX_LINES = 100_000;
/** The length of a piece, in characters. */
const PIECE = 40_000;

export interface Imported {
  added: number;
  known: number;
  /** The skipped lines, with line numbers in the file from 1. */
  refused: readonly { line: number; text: string; error: string }[];
  lines: number;
  /** The share of the file that was read, from 0 to 1. */
  share: number;
}

export const NOTHING_IMPORTED: Imported = { added: 0, known: 0, refused: [], lines: 0, share: 0 };

/** The text of a file, or the reason why the file cannot be imported. */
export async function readList(file: File): Promise<{ text: string } | { fault: string }> {
  if (file.size > MAX_BYTES) return { fault: 'The file is larger than 25 MB. Split it into smaller files.' };
  const text = await file.text();
  if (text.includes('\0'))
    return { fault: 'This is not a text file. If it is a spreadsheet, save it as CSV in UTF-8.' };
  const lines = text.trimEnd().split('\n').length;
  if (lines > MAX_LINES)
    return {
      fault: `The file has ${number(lines)} lines. The limit is 100,000. Split it into smaller files.`,
    };
  return { text };
}

/** @param onProgress called after each piece @throws ApiProblem, or the reason of the aborted signal */
export async function importList(
  project: string,
  text: string,
  reason: Reason,
  { onProgress, signal }: { onProgress(imported: Imported): void; signal: AbortSignal },
): Promise<void> {
  let imported = NOTHING_IMPORTED;
  for (let at = 0; at < text.length; ) {
    const piece = await dataOf(
      api.POST('/projects/{project}/suppressions/import', {
        params: { path: { project } },
        body: {
          text: text.slice(at, at + PIECE),
          first_line: at === 0 ? null : (text.slice(0, PIECE).split(/[\r\n]/, 1)[0] ?? ''),
          is_end: at + PIECE >= text.length,
          reason,
        },
        signal,
      }),
    );
    at += piece.read;
    const before = imported;
    imported = {
      added: before.added + piece.added,
      known: before.known + piece.known,
      refused: [
        ...before.refused,
        ...piece.refused.map((each) => ({ ...each, line: before.lines + each.line + 1 })),
      ],
      lines: before.lines + piece.lines,
      share: at / text.length,
    };
    onProgress(imported);
  }
}

/** The log messages that docs/operate/logs.md lists. */
import { readFileSync } from 'node:fs';

const PAGE = new URL('../../docs/operate/logs.md', import.meta.url);

/** The fields that every log line has. */
const COMMON = ['level', 'time', 'pid', 'roles', 'msg'];

export interface DocumentedLine {
  levels: string[];
  /** All texts in backticks in the row. These include the names of the fields. */
  fields: Set<string>;
}

/** The rows of all tables on the page, by log message. */
export function documentedLines(): Map<string, DocumentedLine> {
  const lines = new Map<string, DocumentedLine>();
  let isOfMessages = false;
  for (const row of readFileSync(PAGE, 'utf8').split('\n')) {
    if (!row.startsWith('|')) isOfMessages = false;
    else if (row.startsWith('| `msg` |')) isOfMessages = true;
    else if (isOfMessages && !row.startsWith('|---')) {
      const [first = '', level = '', ...rest] = row.split(' | ');
      const [msg = ''] = textsIn(first);
      lines.set(msg, { levels: levelsIn(level), fields: new Set([...COMMON, ...textsIn(rest.join(' '))]) });
    }
  }
  return lines;
}

function textsIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
}

function levelsIn(cell: string): string[] {
  return cell.match(/\b(?:debug|info|warn|error|fatal)\b/g) ?? [];
}

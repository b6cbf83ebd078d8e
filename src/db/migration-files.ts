/** Reads the files of `migrations/`: SQL with headers in the first lines (docs/decisions/0036-schema-changes.md). */
import { readdirSync, readFileSync } from 'node:fs';
import { isVersion } from '../model/version.ts';

/** A semicolon, or a token in which a semicolon does not end a statement: a string, a quoted name, a comment or a dollar-quoted text. */
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$((?:[A-Za-z_]\w*)?)\$[\s\S]*?\$\1\$|;/g;

const COMMENTS = /--[^\n]*|\/\*[\s\S]*?\*\//g;

const FOLDER = new URL('./migrations/', import.meta.url);
const HEADER = /^-- migration: (.*)\n/;

export interface Migration {
  name: string;
  /** Whether the statements run together in one transaction, or each statement on its own. */
  runs: 'together' | 'one by one';
  statements: string[];
  /**
   * The oldest version that still works after this migration. Null: all versions work. A migration with such a version removes schema that
   * only older code needs, so it waits until no older code is running.
   */
  servesFrom: string | null;
}

/**
 * The migrations of this code, in order.
 * @throws Error if a file has an invalid header
 */
export function readMigrations(): Migration[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => parseMigration(name, readFileSync(new URL(name, FOLDER), 'utf8')));
}

/** @throws Error if the file has an invalid header */
export function parseMigration(name: string, text: string): Migration {
  let rest = text;
  let runs: Migration['runs'] = 'together';
  let servesFrom: string | null = null;
  for (let line = HEADER.exec(rest); line !== null; line = HEADER.exec(rest)) {
    const [whole, header = ''] = line;
    const version = /^serves from (.*)$/.exec(header)?.[1];
    if (header === 'one by one' && runs === 'together') runs = 'one by one';
    else if (version !== undefined && isVersion(version) && servesFrom === null) servesFrom = version;
    else throw new Error(`${name}: "${header}" is not a valid header`);
    rest = rest.slice(whole.length);
  }
  if (/^\s*--\s*migration:/m.test(rest)) throw new Error(`${name}: headers must be in the first lines`);
  if (runs === 'together') return { name, runs, statements: [rest], servesFrom };
  const statements = splitStatements(rest);
  for (const statement of statements)
    if (isConcurrent(statement) && /\bcreate\b/i.test(statement) && builtIndex(statement) === null)
      throw new Error(
        `${name}: an index that is built concurrently must be written as "create index concurrently if not exists <name>"`,
      );
  return { name, runs, statements, servesFrom };
}

/** Whether a statement runs `concurrently`: it waits for other transactions without blocking them. */
export function isConcurrent(statement: string): boolean {
  return /\bconcurrently\b/i.test(withoutComments(statement));
}

/** The name of the index that a statement builds without blocking writes. Null: the statement builds no such index. */
export function builtIndex(statement: string): string | null {
  const built = /^create (?:unique )?index concurrently if not exists ([\w.]+) on /i;
  return built.exec(withoutComments(statement).replace(/\s+/g, ' ').trim())?.[1] ?? null;
}

function withoutComments(statement: string): string {
  return statement.replace(/--[^\n]*/g, '');
}

/**
 * Splits an SQL text into statements without their semicolons. Does not support strings with backslash escapes (`E'\''`).
 * @throws Error if the last statement has no semicolon
 */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let from = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token !== ';') continue;
    statements.push(text.slice(from, index).trim());
    from = index + 1;
  }
  if (text.slice(from).replace(COMMENTS, '').trim() !== '')
    throw new Error('the last statement has no semicolon');
  return statements;
}

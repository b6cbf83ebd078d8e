/** The files of `migrations/`: SQL, with what is said of it in the first lines (docs/decisions/0036-schema-changes.md). */
import { readdirSync, readFileSync } from 'node:fs';
import { isVersion } from '../model/version.ts';

/** What a semicolon means nothing in, and the semicolon. */
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$((?:[A-Za-z_]\w*)?)\$[\s\S]*?\$\1\$|;/g;

const COMMENTS = /--[^\n]*|\/\*[\s\S]*?\*\//g;

const FOLDER = new URL('./migrations/', import.meta.url);
const HEADER = /^-- migration: (.*)\n/;

export interface Migration {
  name: string;
  /** In a transaction together, or one after the other, each by itself. */
  runs: 'together' | 'one by one';
  statements: string[];
  /**
   * The oldest version that still works once this has run; null: every one. With a version it takes away what older code
   * needs, so it waits until no older code lives.
   */
  servesFrom: string | null;
}

/**
 * The migrations of this code, in order.
 * @throws Error for a file that says something else of itself than what there is to say
 */
export function readMigrations(): Migration[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => parseMigration(name, readFileSync(new URL(name, FOLDER), 'utf8')));
}

/** @throws Error as readMigrations */
export function parseMigration(name: string, text: string): Migration {
  let rest = text;
  let runs: Migration['runs'] = 'together';
  let servesFrom: string | null = null;
  for (let line = HEADER.exec(rest); line !== null; line = HEADER.exec(rest)) {
    const [whole, said = ''] = line;
    const version = /^serves from (.*)$/.exec(said)?.[1];
    if (said === 'one by one' && runs === 'together') runs = 'one by one';
    else if (version !== undefined && isVersion(version) && servesFrom === null) servesFrom = version;
    else throw new Error(`${name}: "${said}" is nothing that a migration says of itself`);
    rest = rest.slice(whole.length);
  }
  if (/^\s*--\s*migration:/m.test(rest))
    throw new Error(`${name}: what a migration says of itself stands in its first lines`);
  if (runs === 'together') return { name, runs, statements: [rest], servesFrom };
  const statements = splitStatements(rest);
  for (const statement of statements)
    if (isConcurrent(statement) && /\bcreate\b/i.test(statement) && builtIndex(statement) === null)
      throw new Error(`${name}: write "create index concurrently if not exists <name>"`);
  return { name, runs, statements, servesFrom };
}

/** Whether the statement waits for the transactions of others, with no lock for which anybody waits. */
export function isConcurrent(statement: string): boolean {
  return /\bconcurrently\b/i.test(withoutComments(statement));
}

/** The index that a statement builds while others write; null: it builds none. */
export function builtIndex(statement: string): string | null {
  const built = /^create (?:unique )?index concurrently if not exists ([\w.]+) on /i;
  return built.exec(withoutComments(statement).replace(/\s+/g, ' ').trim())?.[1] ?? null;
}

function withoutComments(statement: string): string {
  return statement.replace(/--[^\n]*/g, '');
}

/**
 * The statements of an SQL text, each without its semicolon. Strings with backslashes (`E'\''`) are not understood.
 * @throws Error when the last one does not end with a semicolon
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

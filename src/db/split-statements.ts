/** What a semicolon means nothing in, and the semicolon. */
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$((?:[A-Za-z_]\w*)?)\$[\s\S]*?\$\1\$|;/g;
const COMMENTS = /--[^\n]*|\/\*[\s\S]*?\*\//g;

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

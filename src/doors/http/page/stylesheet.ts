/** The style sheet of a page. Combines the dashboard's design tokens (web/ui/tokens.css) with the rules that use them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const TOKENS = join(import.meta.dirname, '../../../../web/ui/tokens.css');

/** @param path the path of the file with the rules */
export async function stylesheet(path: string): Promise<string> {
  const [tokens, style] = await Promise.all([readFile(TOKENS, 'utf8'), readFile(path, 'utf8')]);
  return `${plainTokens(tokens)}\n${style}`;
}

/**
 * Turns the Tailwind syntax of the tokens into plain CSS. The theme becomes a list of variables, and resets of Tailwind's theme are
 * removed.
 */
function plainTokens(tokens: string): string {
  return tokens
    .replaceAll(/^@(?:import|source)\b[^;]*;\n/gm, '')
    .replaceAll(/^\s*--[\w-]+-\*: initial;\n/gm, '')
    .replace('@theme {', ':root {');
}

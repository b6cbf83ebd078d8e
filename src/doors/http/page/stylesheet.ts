/** The style of a page: the tokens of the dashboard (web/ui/tokens.css), and the rules that use them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const TOKENS = join(import.meta.dirname, '../../../../web/ui/tokens.css');

/** @param path of the rules */
export async function stylesheet(path: string): Promise<string> {
  const [tokens, style] = await Promise.all([readFile(TOKENS, 'utf8'), readFile(path, 'utf8')]);
  return `${plainTokens(tokens)}\n${style}`;
}

/** What Tailwind reads of the tokens, as browsers read it: a theme is a list of variables, and none of its own is to be taken away. */
function plainTokens(tokens: string): string {
  return tokens
    .replaceAll(/^@(?:import|source)\b[^;]*;\n/gm, '')
    .replaceAll(/^\s*--[\w-]+-\*: initial;\n/gm, '')
    .replace('@theme {', ':root {');
}

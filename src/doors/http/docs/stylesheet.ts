/** The style of the pages: the tokens of the dashboard (web/ui/tokens.css), and what is made of them here. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const TOKENS = join(import.meta.dirname, '../../../../web/ui/tokens.css');
const STYLE = join(import.meta.dirname, 'files/style.css');

/** @param path of what is made of the tokens: the style of the documentation, or that of another page */
export async function stylesheet(path = STYLE): Promise<string> {
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

import { readContent } from './mail.ts';
import { tokensOf } from './tokens.ts';

/** The tokens of a message, the same whether it comes in or was stored: nothing of what the way added is among them. */
export function readTokens(raw: Buffer): number[] {
  return tokensOf(readContent(raw));
}

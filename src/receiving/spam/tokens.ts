/** The words of a message as numbers, for what mailboxes learn about words (`learned.ts`). */
import { withFewMarks } from '../../store/search/normal-form.ts';
import type { SpamContent } from './mail.ts';

/** The number of different tokens. Words with the same hash share a token, so a project never has more rows than this. */
const TOKEN_NUMBERS = 131_072;
const MAX_TOKENS = 600;
const MAX_TEXT = 65_536;
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'_-]{2,23}/gu;

/** The tokens of a message, unique and in ascending order. Trace fields and recipients are ignored. */
export function tokensOf({ from, subject, text, links, attachments }: SpamContent): number[] {
  const tokens = new Set<number>();
  const add = (token: string) => {
    if (tokens.size < MAX_TOKENS) tokens.add(numberOf(token));
  };
  add(`from:${from.domain}`);
  for (const word of words(from.name)) add(`name:${word}`);
  for (const word of words(subject)) add(`subject:${word}`);
  for (const { domain } of links) add(`link:${domain}`);
  for (const { name } of attachments) add(`file:${/\.[a-z0-9]{1,8}$/i.exec(name)?.[0].toLowerCase() ?? ''}`);
  for (const word of words(text.slice(0, MAX_TEXT))) {
    if (tokens.size >= MAX_TOKENS) break;
    add(word);
  }
  return [...tokens].sort((a, b) => a - b);
}

function* words(text: string): Generator<string> {
  for (const [word] of withFewMarks(text.toLowerCase()).normalize('NFKC').matchAll(WORD)) {
    // A number, such as an order number, rarely occurs in other mail.
    if (!/^\d+$/.test(word)) yield word;
  }
}

/** FNV-1a over UTF-16 code units. */
function numberOf(token: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < token.length; at++) hash = Math.imul(hash ^ token.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) & (TOKEN_NUMBERS - 1);
}

/** The secret of a link: whoever has it may download. It is kept as a digest, and sealed for its owner. */
import { hash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 16;
/** Of the path of a link; where several stand in a text, each is found. */
const LINK_PATH = /\/s\/([\w-]{22})(?![\w-])/g;

/** 128 random bits, as 22 characters of base64url. */
export function newLinkToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Of the characters. Whatever looks like a token has one. */
export function linkTokenDigest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** What stands after it is not part of a token, so that the same token is found in HTML and in text. */
export function linkTokensIn(text: string): string[] {
  return Array.from(text.matchAll(LINK_PATH), ([, token = '']) => token);
}

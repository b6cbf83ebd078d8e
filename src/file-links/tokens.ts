/** The secret of a link, which alone permits its download. It is stored as a digest, and sealed for its owner. */
import { hash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 16;
/** Matches the path of a link; if a text has several, each is found. */
const LINK_PATH = /\/s\/([\w-]{22})(?![\w-])/g;

/** 128 random bits, as 22 characters of base64url. */
export function newLinkToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The digest of the characters. Anything that looks like a token has one. */
export function linkTokenDigest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Finds tokens. The text after a token is not part of it, so the same token is found in HTML and in text. */
export function linkTokensIn(text: string): string[] {
  return Array.from(text.matchAll(LINK_PATH), ([, token = '']) => token);
}

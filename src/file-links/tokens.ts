/**
 * The secret token of a link, which visitors need to open the link. The database stores a digest of the token, and the token sealed for
 * the owner of the link.
 */
import { hash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 16;
/** Matches the paths of all links in a text. */
const LINK_PATH = /\/s\/([\w-]{22})(?![\w-])/g;

/** 128 random bits, as 22 characters of base64url. */
export function newLinkToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The digest of a token, whether or not a link has this token. */
export function linkTokenDigest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Finds the tokens of links in a text. The characters after a token are ignored, so tokens are found in HTML and in plain text. */
export function linkTokensIn(text: string): string[] {
  return Array.from(text.matchAll(LINK_PATH), ([, token = '']) => token);
}

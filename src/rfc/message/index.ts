/** Messages as bytes (RFC 5322, MIME). */
export { compose } from './compose.ts';

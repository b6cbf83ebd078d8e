/** Reading MIME messages (RFC 2045 to 2047, RFC 5322): structure by position, bounded, never throws. */
export { decodeCharset, decodeText } from './decode.ts';
export { decodeEncodedWords } from './encoded-word.ts';
export { type Entity, readEntity } from './entity.ts';
export { fieldValue, type HeaderField, readHeader } from './header.ts';

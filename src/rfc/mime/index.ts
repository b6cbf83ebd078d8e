/** Reads MIME messages (RFC 2045 to 2047, RFC 5322) as positions in the raw octets, within limits. Never throws. */
export { decodeCharset, strictDecoder, withoutCutCharacter } from './charset.ts';
export { readParameterizedValue } from './content-type.ts';
export {
  createDecoder,
  decodeBody,
  decodeOctets,
  decodeText,
  decodeWholeText,
  UnknownEncoding,
} from './decode.ts';
export { decodeEncodedWords, decodeEncodedWordsStrictly } from './encoded-word.ts';
export { type Entity, type EntityLimits, isUnread, readEntity } from './entity.ts';
export {
  fieldValue,
  type HeaderField,
  afterEmptyLine,
  headerEnd,
  lineEndBefore,
  readHeader,
  unfoldedValue,
} from './header.ts';
export { partRole } from './part-role.ts';

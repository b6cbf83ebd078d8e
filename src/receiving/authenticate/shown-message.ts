/** The part of a message that is passed to the verifier: everything the verifier needs, and no more than it can parse in bounded time. */
import { headerEnd, readFields } from './fields.ts';
import { LIMITS } from './limits.ts';

interface ShownMessage {
  octets: Buffer;
  /** The number of DKIM signatures that are passed to the verifier, at most `LIMITS.signatures`. */
  signatures: number;
  arc: 'none' | 'shown' | 'too much';
}

const ARC_FIELDS: ReadonlySet<string> = new Set([
  'arc-seal',
  'arc-message-signature',
  'arc-authentication-results',
]);
const CRLF = Buffer.from('\r\n');
const UNREADABLE_FROM = Buffer.from('From:\r\n');

/**
 * Omits the body if there are no signatures. Omitting a header field is safe, because at most a signature that covers the field fails. Only
 * From is never omitted: otherwise an attacker could hide a From field after many other fields, or by making it too long. A From field that
 * is too long is passed on without its authors.
 */
export function showMessage(raw: Buffer): ShownMessage {
  const bodyStart = headerEnd(raw);
  const fields = readFields(raw, Math.min(bodyStart, LIMITS.headerOctets));
  const arcFields = fields.filter(({ name }) => ARC_FIELDS.has(name));
  const isArcTooMuch =
    arcFields.length > LIMITS.arcSets * 3 ||
    arcFields.some(({ start, end }) => end - start > LIMITS.fieldOctets);
  let signatures = 0;
  let froms = 0;
  let shownLines = 0;
  const isShortField = ({ start, end, lines }: (typeof fields)[number]) =>
    end - start <= LIMITS.fieldOctets && lines <= LIMITS.fieldLines;
  const shown = fields.filter((field) => {
    const { name, lines } = field;
    if (name === 'from') return ++froms <= LIMITS.fromFields;
    if (lines > LIMITS.fieldLines) return false;
    const isShort = isShortField(field);
    if (name === 'dkim-signature') return isShort && ++signatures <= LIMITS.signatures;
    if (isArcTooMuch && ARC_FIELDS.has(name)) return false;
    shownLines += lines;
    return shownLines <= LIMITS.headerLines;
  });
  const isArcShown = arcFields.length > 0 && !isArcTooMuch;
  const header = shown.map((field) =>
    field.name === 'from' && !isShortField(field) ? UNREADABLE_FROM : raw.subarray(field.start, field.end),
  );
  const isSigned = signatures > 0 || isArcShown;
  return {
    octets: Buffer.concat([...header, CRLF, ...(isSigned ? [raw.subarray(bodyStart)] : [])]),
    signatures: Math.min(signatures, LIMITS.signatures),
    arc: isArcTooMuch ? 'too much' : isArcShown ? 'shown' : 'none',
  };
}

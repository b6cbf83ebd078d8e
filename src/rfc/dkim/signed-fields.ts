/** Selects the header fields that a signature covers, and their canonical text (RFC 6376, sections 3.5 and 5.4). */
import { relaxFieldBody } from './canonical.ts';

/**
 * Fields that h= lists once more often than the header contains them, so that the signature fails if such a field is added. Attack: a
 * signed message is resent with another subject, recipient or structure on top (RFC 6376, section 8.15). RFC 8058 requires signatures to
 * cover both List-Unsubscribe fields.
 */
const OVERSIGNED = [
  'From',
  'To',
  'Cc',
  'Subject',
  'Date',
  'Message-ID',
  'Reply-To',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
];

/**
 * Fields that h= lists as often as the header contains them: the fields in RFC 6376, section 5.4.1, and Feedback-ID, which feedback loops
 * require in h=.
 */
const SIGNED_WHEN_PRESENT = [
  'Sender',
  'In-Reply-To',
  'References',
  'Auto-Submitted',
  'Feedback-ID',
  'List-Id',
  'List-Help',
  'List-Subscribe',
  'List-Post',
  'List-Owner',
  'List-Archive',
];

interface CoveredField {
  name: string;
  key: string;
  oversigned: boolean;
}

export const COVERED: readonly CoveredField[] = [
  ...OVERSIGNED.map((name) => ({ name, key: name.toLowerCase(), oversigned: true })),
  ...SIGNED_WHEN_PRESENT.map((name) => ({ name, key: name.toLowerCase(), oversigned: false })),
];

/** The CRLF at the end of a field. A CRLF before white space is a fold inside a field. */
const END_OF_FIELD = /\r\n(?![ \t])/;

export interface SignedFields {
  /** The names of the fields in h=, in order. */
  names: string[];
  /** The canonical text of the fields in the order of h=, each with CRLF. */
  canonical: string;
}

/**
 * Selects the fields to sign. Of several fields with the same name, the last field in the header is signed first (RFC 6376, section 5.4.2).
 *
 * @param header header fields, folded or not, each ending with CRLF
 * @param except names of fields to omit, in lower case
 * @param covered the fields to cover, in the order of h=
 */
export function selectSignedFields(
  header: string,
  except: readonly string[] = [],
  covered: readonly CoveredField[] = COVERED,
): SignedFields {
  const found = Map.groupBy(header.split(END_OF_FIELD), nameOf);
  const names: string[] = [];
  let canonical = '';
  for (const { name, key, oversigned } of covered) {
    if (except.includes(key)) continue;
    for (const field of found.get(key)?.toReversed() ?? []) {
      names.push(name);
      canonical += `${key}:${relaxFieldBody(field.slice(field.indexOf(':') + 1))}\r\n`;
    }
    if (oversigned) names.push(name);
  }
  return { names, canonical };
}

/** The name of a field in lower case. Empty if the text is not a field. */
function nameOf(field: string): string {
  return field
    .slice(0, Math.max(field.indexOf(':'), 0))
    .trimEnd()
    .toLowerCase();
}

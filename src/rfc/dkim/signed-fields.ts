/** Selects the header fields that a signature covers, and their canonical text (RFC 6376, sections 3.5 and 5.4). */
import { relaxFieldBody } from './canonical.ts';

/**
 * Fields that h= lists once more than they occur, so that adding such a field breaks the signature. Attack: a signed message
 * is resent with another subject, recipient or structure on top (section 8.15). RFC 8058 requires both List-Unsubscribe fields
 * to be covered.
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

/** Fields covered as often as they occur: the fields of section 5.4.1, and Feedback-ID, which feedback loops only trust if signed. */
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

/** A CRLF followed by white space is a fold. */
const END_OF_FIELD = /\r\n(?![ \t])/;

export interface SignedFields {
  /** The names in h=, in order. */
  names: string[];
  /** The fields in the same order, each with its CRLF. */
  canonical: string;
}

/**
 * If a name occurs more than once, the last occurrence in the header is signed first (section 5.4.2).
 *
 * @param header fields, folded or not, each ending with CRLF
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

/** The field's name in lower case. Empty if the line is not a field. */
function nameOf(field: string): string {
  return field
    .slice(0, Math.max(field.indexOf(':'), 0))
    .trimEnd()
    .toLowerCase();
}

/** Which header fields a signature covers, and their canonical text (RFC 6376, sections 3.5 and 5.4). */
import { relaxFieldBody } from './canonical.ts';

/**
 * Listed in h= once more than they occur: a field of such a name that is added on the way breaks the signature,
 * so a signed message cannot be sent again with another subject, recipient or structure on top (section 8.15).
 * RFC 8058 needs both List-Unsubscribe fields covered.
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

/** Covered as often as they occur (section 5.4.1, and Feedback-ID, which feedback loops believe only when signed). */
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

/** Whitespace behind a CRLF makes it a fold. */
const END_OF_FIELD = /\r\n(?![ \t])/;

export interface SignedFields {
  /** What h= lists, in order. */
  names: string[];
  /** The fields in that order, each with its CRLF. */
  canonical: string;
}

/**
 * Where a name occurs more than once, the last one in the header is signed first (section 5.4.2).
 *
 * @param header fields, folded or not, each ending with CRLF
 * @param except names of fields to leave out, in lower case
 * @param covered fields by their names, in the order of h=
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

/** In lower case; empty for what is no field. */
function nameOf(field: string): string {
  return field
    .slice(0, Math.max(field.indexOf(':'), 0))
    .trimEnd()
    .toLowerCase();
}

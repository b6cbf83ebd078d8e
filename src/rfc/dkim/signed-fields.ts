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

const COVERED = [
  ...OVERSIGNED.map((name) => ({ name, key: name.toLowerCase(), oversigned: true })),
  ...SIGNED_WHEN_PRESENT.map((name) => ({ name, key: name.toLowerCase(), oversigned: false })),
];
const COVERED_KEYS = new Set(COVERED.map(({ key }) => key));

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
 */
export function selectSignedFields(header: string, except: readonly string[] = []): SignedFields {
  const found = relaxedFields(header);
  const names: string[] = [];
  let canonical = '';
  for (const { name, key, oversigned } of COVERED) {
    if (except.includes(key)) continue;
    const fields = found.get(key) ?? [];
    for (let at = fields.length - 1; at >= 0; at--) {
      names.push(name);
      canonical += fields[at];
    }
    if (oversigned) names.push(name);
  }
  return { names, canonical };
}

function relaxedFields(header: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let start = 0;
  while (start < header.length) {
    const end = endOfField(header, start);
    const field = header.slice(start, end);
    start = end + 2;
    const colon = field.indexOf(':');
    const key = field.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase();
    if (!COVERED_KEYS.has(key)) continue;
    const relaxed = `${key}:${relaxFieldBody(field.slice(colon + 1))}\r\n`;
    const fields = found.get(key);
    if (fields === undefined) found.set(key, [relaxed]);
    else fields.push(relaxed);
  }
  return found;
}

/** The position of the CRLF that ends the field: no whitespace follows it, or it would be a fold. */
function endOfField(header: string, start: number): number {
  for (let at = start; ; at += 2) {
    at = header.indexOf('\r\n', at);
    if (at === -1) return header.length;
    const next = header[at + 2];
    if (next !== ' ' && next !== '\t') return at;
  }
}

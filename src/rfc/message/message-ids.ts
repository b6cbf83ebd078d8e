const MESSAGE_ID = /<([^<>]{1,998})>/g;
/** Longer ids are ignored, because a line has at most 998 octets (RFC 5322, section 2.1.1; RFC 6532, section 3.4). */
const MAX_ID_OCTETS = 998;

/**
 * The ids of a Message-ID, In-Reply-To or References field (RFC 5322, section 3.6.4), with angle brackets, without inner space and without
 * duplicates. If there are more than `most` ids, returns the first id and the last ids. Never throws.
 */
export function readMessageIds(value: string, most: number): string[] {
  return atMost([...new Set(idsIn(value))], most);
}

/**
 * The ancestors of a message for THREAD (RFC 5256, section 3), the parent last: the ids in References, or else the first id in In-Reply-To.
 * If there are more than `most` ids, returns the first id and the last ids.
 */
export function readAncestors(references: string, inReplyTo: string, most: number): string[] {
  const ids = [...idsIn(references)];
  if (ids.length > 0) return atMost(ids, most);
  for (const id of idsIn(inReplyTo)) return [id];
  return [];
}

function* idsIn(value: string): Generator<string> {
  for (const [whole] of value.matchAll(MESSAGE_ID)) {
    const id = whole.replace(/\s+/g, '');
    if (id.length > 2 && Buffer.byteLength(id) <= MAX_ID_OCTETS) yield id;
  }
}

/** Returns the first id, which belongs to the first message in the thread, and the last ids, at most `most` in total. */
function atMost(ids: string[], most: number): string[] {
  if (ids.length <= most) return ids;
  return [...ids.slice(0, 1), ...(most > 1 ? ids.slice(1 - most) : [])];
}

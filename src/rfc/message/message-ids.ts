const MESSAGE_ID = /<([^<>]{1,998})>/g;
/** Longer ones name nothing that somebody could refer to: a line has no more octets (RFC 5322, section 2.1.1; RFC 6532, section 3.4). */
const MAX_ID_OCTETS = 998;

/**
 * The ids of a Message-ID, In-Reply-To or References field (RFC 5322, section 3.6.4), with their angle brackets and
 * without space within: each once, and of more than `most` the first and the last ones. Never throws.
 */
export function readMessageIds(value: string, most: number): string[] {
  return atMost([...new Set(idsIn(value))], most);
}

/**
 * The ids that a message answers as THREAD takes them (RFC 5256, section 3), the one that it answers itself at the end: those of
 * References, or the first of In-Reply-To. Of more than `most` the first and the last ones.
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

/** The first is the one that began the thread. */
function atMost(ids: string[], most: number): string[] {
  return ids.length <= most ? ids : [...ids.slice(0, 1), ...ids.slice(1 - most)];
}

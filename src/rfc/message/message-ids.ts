const MESSAGE_ID = /<([^<>]{1,998})>/g;
/** Longer ones name nothing that somebody could refer to (RFC 5322, section 2.1.1). */
const MAX_ID = 998;

/**
 * The ids of a Message-ID, In-Reply-To or References field (RFC 5322, section 3.6.4), with their angle brackets and
 * without space within: each once, and of more than `most` the first and the last ones. Never throws.
 */
export function readMessageIds(value: string, most: number): string[] {
  const ids = new Set<string>();
  for (const [whole] of value.matchAll(MESSAGE_ID)) {
    const id = whole.replace(/\s+/g, '');
    if (id.length > 2 && id.length <= MAX_ID) ids.add(id);
  }
  const all = [...ids];
  // The first is the one that began the thread.
  return all.length <= most ? all : [...all.slice(0, 1), ...all.slice(1 - most)];
}

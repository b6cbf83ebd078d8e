/** A parsed tag list. */
export interface TagList {
  /** The tags in the order of the record. If a name occurs several times, the last value counts. */
  tags: ReadonlyMap<string, string>;
  /** The first tag whose name occurred before. */
  duplicate: string | null;
  /** The first part that is not a tag. Empty if two semicolons follow each other. */
  notTag: string | null;
}

/** Maximum number of tags that are read. Real records have fewer. */
const MAX_TAGS = 100;
/** A tag, with its value in group 2. Blanks around the name and the value do not belong to them. */
const TAG = /^[ \t\r\n]*([a-z][a-z0-9_]*)[ \t\r\n]*=([^]*)$/i;

/**
 * Parses `name=value; name=value`, the notation of DKIM and DMARC records (RFC 6376, section 3.2; RFC 9989, section 4.8). It reports what
 * makes the list invalid, because receivers differ in what they then do.
 */
export function parseTags(text: string): TagList {
  const parts = text.split(';', MAX_TAGS);
  // A semicolon may follow the last tag.
  if (parts.at(-1)?.trim() === '') parts.pop();
  const tags = new Map<string, string>();
  let [duplicate, notTag]: (string | null)[] = [null, null];
  for (const part of parts) {
    const [, name, value = ''] = TAG.exec(part) ?? [];
    if (name === undefined) notTag ??= part.trim();
    else {
      if (tags.has(name)) duplicate ??= part.trim();
      tags.set(name, value.trim());
    }
  }
  return { tags, duplicate: duplicate ?? null, notTag: notTag ?? null };
}

/** Records of other kinds are skipped (RFC 8461, section 3.1). */
const BEGINS = /^v=STSv1[ \t]*;/;
const ID_FIELD = /^id=([A-Za-z0-9]{1,32})$/;
const EXTENSION_FIELD = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}=[\x21-\x3a\x3c\x3e-\x7e]+$/;
/** Far more than a resolver gives in one answer over UDP. */
const MAX_RECORD = 4_096;

/**
 * What the TXT records of `_mta-sts.<domain>` say: the id of the policy, which is another one for every policy (RFC 8461,
 * section 3.1). Null: the domain has no policy, or its records cannot be read, which counts as none.
 * @param txtRecords the strings of each record joined
 */
export function parseStsRecord(txtRecords: readonly string[]): { id: string } | null {
  const [record, ...others] = txtRecords.filter((text) => BEGINS.test(text));
  if (record === undefined || others.length > 0 || record.length > MAX_RECORD) return null;
  const parts = record.split(';').slice(1);
  // Blanks belong to the semicolon beside them, and the last field needs no semicolon.
  const last = parts.pop()?.replace(/^[ \t]+/, '') ?? '';
  const fields = [...parts.map(trimBlanks), ...(last === '' ? [] : [last])];
  let id: string | null = null;
  for (const field of fields) {
    if (field.startsWith('id=') && id === null) {
      id = ID_FIELD.exec(field)?.[1] ?? null;
      if (id === null) return null;
    } else if (!EXTENSION_FIELD.test(field)) return null;
  }
  return id === null ? null : { id };
}

/** Takes spaces and tabs (WSP), and nothing else that `trim` would take. */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

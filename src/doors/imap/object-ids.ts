/** Object identifiers (RFC 8474, section 4): a letter for the kind, then the UUID without hyphens. */
const LETTERS = { email: 'M', thread: 'T', mailbox: 'F' } as const;

type Kind = keyof typeof LETTERS;

export function formatObjectId(kind: Kind, uuid: string): string {
  return LETTERS[kind] + uuid.replaceAll('-', '');
}

/** @returns the UUID; null if `text` is not an object identifier of this kind */
export function readObjectId(kind: Kind, text: string): string | null {
  const match = /^(.)([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/.exec(text);
  return match?.[1] === LETTERS[kind] ? match.slice(2).join('-') : null;
}

/** Identifiers that never change (RFC 8474, section 4): one letter for what they name, and the uuid. */
const LETTERS = { email: 'M', thread: 'T', mailbox: 'F' } as const;

type Kind = keyof typeof LETTERS;

export function formatObjectId(kind: Kind, uuid: string): string {
  return LETTERS[kind] + uuid.replaceAll('-', '');
}

/** @returns the uuid; null: it names nothing of this kind */
export function readObjectId(kind: Kind, text: string): string | null {
  const match = /^(.)([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/.exec(text);
  return match?.[1] === LETTERS[kind] ? match.slice(2).join('-') : null;
}

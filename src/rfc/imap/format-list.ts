import { formatMailbox, formatString } from './format-text.ts';

export interface ListedMailbox {
  name: string;
  /** With their backslashes. */
  attributes: readonly string[];
  /** Something within it is why it is listed (RFC 5258, section 3.5): the selection options that it fits. */
  childInfo?: readonly string[];
  /** It had this name (RFC 9051, section 6.3.9.7), or the client wrote it so. */
  oldName?: string;
}

/** `mailbox-list` (RFC 9051, section 9). @param delimiter null: names have no levels */
export function formatList(
  { name, attributes, childInfo = [], oldName }: ListedMailbox,
  delimiter: string | null,
  utf8: boolean,
): string {
  const extended: string[] = [];
  if (childInfo.length > 0)
    extended.push(`CHILDINFO (${childInfo.map((option) => `"${option}"`).join(' ')})`);
  if (oldName !== undefined) extended.push(`OLDNAME (${formatMailbox(oldName, utf8)})`);
  const level = delimiter === null ? 'NIL' : formatString(delimiter, utf8);
  const tail = extended.length === 0 ? '' : ` (${extended.join(' ')})`;
  return `(${attributes.join(' ')}) ${level} ${formatMailbox(name, utf8)}${tail}`;
}

import { formatMailbox, formatString } from './format-text.ts';

export interface ListedMailbox {
  name: string;
  /** The attributes of the mailbox, with backslashes. */
  attributes: readonly string[];
  /** The selection options that a child matches, if the mailbox is listed because of a child (RFC 5258, section 3.5). */
  childInfo?: readonly string[];
  /** The previous name of the mailbox, or the spelling in the command if the name was normalized (RFC 9051, section 6.3.9.7). */
  oldName?: string;
}

/** Writes `mailbox-list` (RFC 9051, section 9). @param delimiter the hierarchy delimiter; null if names have no hierarchy */
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

/** The special-use folders that every mailbox has (RFC 6154, section 2; `inbox` is INBOX itself), with their names. */
export const FOLDER_ROLES = {
  inbox: 'INBOX',
  sent: 'Sent',
  drafts: 'Drafts',
  junk: 'Junk',
  trash: 'Trash',
  archive: 'Archive',
} as const;

export type FolderRole = keyof typeof FOLDER_ROLES;

/** The special uses that a mail app may give a folder that it creates (RFC 6154, section 2; RFC 8457, section 3; RFC 9979, section 5). */
export type FolderUse = Exclude<FolderRole, 'inbox'> | 'important' | 'snoozed';

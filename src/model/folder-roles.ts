/** What the folders are for that every mailbox has (RFC 6154, section 2; `inbox` is INBOX itself), with their names. */
export const FOLDER_ROLES = {
  inbox: 'INBOX',
  sent: 'Sent',
  drafts: 'Drafts',
  junk: 'Junk',
  trash: 'Trash',
  archive: 'Archive',
} as const;

export type FolderRole = keyof typeof FOLDER_ROLES;

/** What a mail app may say that a folder of its own is for (RFC 6154, section 2; RFC 8457, section 3). */
export type FolderUse = Exclude<FolderRole, 'inbox'> | 'important';

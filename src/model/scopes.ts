/** The scopes of restricted API keys (docs/contract.md, Scopes), each with a description for people. */
export const SCOPE_TABLE = [
  { scope: 'emails:send', allows: 'send emails, singly or in batches, cancel them, and send by SMTP' },
  { scope: 'emails:read', allows: 'list and fetch emails' },
  { scope: 'domains:read', allows: 'list and fetch domains' },
  { scope: 'domains:write', allows: 'add, verify and remove domains' },
  { scope: 'mailboxes:read', allows: 'list and fetch mailboxes and aliases' },
  { scope: 'mailboxes:write', allows: 'create, update and delete mailboxes and aliases' },
  { scope: 'webhooks:read', allows: 'list webhooks and their deliveries' },
  { scope: 'webhooks:write', allows: 'create, edit, test and delete webhooks' },
  { scope: 'routes:read', allows: 'list routes and read their messages' },
  { scope: 'routes:write', allows: 'create, change and delete routes, and replay their messages' },
  { scope: 'templates:read', allows: 'list and fetch templates' },
  { scope: 'directory:read', allows: 'list the people in the directory' },
  { scope: 'directory:write', allows: 'add and remove people in the directory' },
  { scope: 'suppressions:read', allows: 'list and fetch suppressed addresses' },
  { scope: 'suppressions:write', allows: 'add and remove suppressed addresses' },
] as const;

export type Scope = (typeof SCOPE_TABLE)[number]['scope'];

export const SCOPES: readonly Scope[] = SCOPE_TABLE.map(({ scope }) => scope);

/** The scopes of an API key. Null if the key was created without scopes and therefore has full access. */
export type GrantedScopes = readonly Scope[] | null;

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

export function grants(granted: GrantedScopes, needed: Scope): boolean {
  return granted === null || granted.includes(needed);
}

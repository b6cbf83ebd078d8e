/** The scopes of restricted API keys (docs/contract.md, Scopes), each with a description for people. */
export const SCOPE_TABLE = [
  { scope: 'emails:send', allows: 'send emails, one or a batch, cancel them, and send by SMTP' },
  { scope: 'emails:read', allows: 'GET /v1/emails, GET /v1/emails/{id}' },
  { scope: 'domains:read', allows: 'list and fetch domains' },
  { scope: 'domains:write', allows: 'add, verify, remove a domain' },
  { scope: 'mailboxes:read', allows: 'list and fetch mailboxes, and aliases' },
  { scope: 'mailboxes:write', allows: 'create, update, delete a mailbox, and an alias' },
  { scope: 'webhooks:read', allows: 'list webhooks and delivery history' },
  { scope: 'webhooks:write', allows: 'create, edit, test, delete a webhook' },
  { scope: 'templates:read', allows: 'list and fetch templates' },
  { scope: 'directory:read', allows: 'list the organisation address book' },
  { scope: 'directory:write', allows: 'add or remove a directory person' },
  { scope: 'suppressions:read', allows: 'list and fetch the addresses that get no more mail' },
  { scope: 'suppressions:write', allows: 'add such an address, or take it off the list' },
] as const;

export type Scope = (typeof SCOPE_TABLE)[number]['scope'];

export const SCOPES: readonly Scope[] = SCOPE_TABLE.map(({ scope }) => scope);

/** `null` means full access: the key was created without scopes. */
export type GrantedScopes = readonly Scope[] | null;

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

export function grants(granted: GrantedScopes, needed: Scope): boolean {
  return granted === null || granted.includes(needed);
}

/** What a restricted API key may be allowed (docs/contract.md, Scopes). */
export const SCOPES = [
  'emails:send',
  'emails:read',
  'domains:read',
  'domains:write',
  'mailboxes:read',
  'mailboxes:write',
  'webhooks:read',
  'webhooks:write',
  'templates:read',
  'directory:read',
  'directory:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/** `null` stands for full access: a key made without scopes, or before scopes existed. */
export type GrantedScopes = readonly Scope[] | null;

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

export function grants(granted: GrantedScopes, needed: Scope): boolean {
  return granted === null || granted.includes(needed);
}

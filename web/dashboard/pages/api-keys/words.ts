/** Describes the access of a key in a few words. */
import type { ApiKey } from '../../../../src/contract/dashboard/api-keys.ts';

export function accessOf({ scopes }: Pick<ApiKey, 'scopes'>): string {
  return scopes === null ? 'Full access' : scopes.join(', ');
}

/** Describes each restriction of a key in one line; empty for a key without restrictions. */
export function restrictionsOf({
  from_domains,
  recipients,
  addresses,
}: Pick<ApiKey, 'from_domains' | 'recipients' | 'addresses'>): string[] {
  return [
    ...(from_domains === null ? [] : [`From ${from_domains.join(', ')}`]),
    ...(recipients === null ? [] : [`To ${recipients.join(', ')}`]),
    ...(addresses === null ? [] : [`IP ${addresses.join(', ')}`]),
  ];
}

/**
 * Whether a search matches the name of the key, or the end of its token. The search may be the end as the table shows it, or a whole
 * token that leaked.
 */
export function isMatch(
  { name, last_four: end }: Pick<ApiKey, 'name' | 'last_four'>,
  search: string,
): boolean {
  if (name.toLowerCase().includes(search.toLowerCase())) return true;
  return end != null && (end.endsWith(search) || search.endsWith(end));
}

export function hasExpired({ expires_at }: Pick<ApiKey, 'expires_at'>): boolean {
  return expires_at !== null && Date.parse(expires_at) <= Date.now();
}

/** The entries of a field, separated by commas, spaces or line breaks; undefined without entries. */
export function entriesIn(text: string): string[] | undefined {
  const entries = text.split(/[\s,;]+/).filter((entry) => entry !== '');
  return entries.length === 0 ? undefined : entries;
}

/** Explains why a key has more access than its creator's role allows. */
export function whyExceeds({ created_by, maker_role }: Pick<ApiKey, 'created_by' | 'maker_role'>): string {
  const creator = created_by ?? 'Its creator';
  return maker_role === null
    ? `${creator} has left the project. Revoke the key if it is no longer needed.`
    : `${creator} is ${WITH_ARTICLE[maker_role]} now, and could not create this key.`;
}

const WITH_ARTICLE = {
  owner: 'an owner',
  admin: 'an admin',
  developer: 'a developer',
  viewer: 'a viewer',
} as const;

import type { HeaderField } from '../../../rfc/mime/index.ts';
import type { Authentication } from '../../../receiving/authenticate/authentication.ts';
import { ownerOf } from '../links/imitation.ts';
import { isProved, isVouched } from './authentication-words.ts';
import type { ListKind } from './sender-warnings.ts';

const LIST_FIELDS = new Set(['list-id', 'list-post', 'list-unsubscribe']);

/**
 * Attack: a forger claims that the message came through a mailing list. The list must therefore prove with its own signature or server that
 * it sent the message. This is not required if the author is proved or a trusted forwarder vouches for the message.
 */
export function cameOverList(
  fields: readonly HeaderField[],
  authentication: Omit<Authentication, 'header'> | null,
): ListKind {
  if (!fields.some(({ name }) => LIST_FIELDS.has(name))) return 'none';
  // A message without results was not received over SMTP: a mail app stored a message that was checked elsewhere.
  if (authentication === null || isProved(authentication) || isVouched(authentication)) return 'proved';
  const ids = fields.filter(({ name }) => name === 'list-id').map(({ value }) => value);
  const domain =
    ids.length === 1 ? /<\s*[^<>\s]{0,200}?\.([^<>\s]{1,255})\s*>\s*$/.exec(ids[0] ?? '')?.[1] : undefined;
  if (domain === undefined) return 'said';
  const owner = ownerOf(domain);
  const { dkim, spf } = authentication;
  const isOfList = (each: { result: string; domain: string }): boolean =>
    each.result === 'pass' && each.domain !== '' && ownerOf(each.domain) === owner;
  return dkim.some(isOfList) || isOfList(spf) ? 'proved' : 'said';
}

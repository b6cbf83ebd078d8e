import type { Identities, Identity } from '../../../src/contract/mail/identities.ts';
import type { Fields } from './draft/composition.ts';

/** The identity that a message is sent with, chosen as the service does. Undefined if the mailbox cannot send. */
export function identityOf(
  { data }: Pick<Identities, 'data'>,
  { from, identity }: Pick<Fields, 'from' | 'identity'>,
): Identity | undefined {
  if (from === null) return data.find(({ id }) => id === identity) ?? data[0];
  const key = keyOf(from);
  const same = data.filter(({ address }) => keyOf(address) === key);
  return (
    same.find(({ id }) => id === identity) ??
    same.find(({ address }) => address.toLowerCase() === from.toLowerCase()) ??
    same[0]
  );
}

/** The address without its tag: `ann+shop@acme.example` is a form of `ann@acme.example`. */
function keyOf(address: string): string {
  return address.toLowerCase().replace(/\+[^@]*@/, '@');
}

import type { Route } from '../../../../src/contract/routes.ts';
import { Status } from '../../../ui/badge.tsx';

/** The formats with their names. */
export const FORMATS: Readonly<Record<Route['format'], string>> = {
  json: 'JSON',
  postmark: 'Postmark',
  'action-mailbox': 'Rails Action Mailbox',
  raw: 'Raw message',
};

/** The address or the addresses that a route receives. */
export function nameOf({ address, domain, tag }: Pick<Route, 'address' | 'domain' | 'tag'>): string {
  if (address === null) return `*@${domain}`;
  return tag === null ? address : address.replace('@', `+${tag}@`);
}

export function RouteState({ url, failing_since }: Pick<Route, 'url' | 'failing_since'>) {
  if (failing_since !== null) return <Status value="failing" tone="bad" />;
  return url === null ? <Status value="fetched" tone="info" /> : <Status value="active" />;
}

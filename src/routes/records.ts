/** Rows of routes in the form of the API. */
import type { Selectable } from 'kysely';
import { bodyOf } from '../contract/body-of.ts';
import { Route } from '../contract/routes.ts';
import type { Tables } from '../db/tables.ts';
import { addressOf } from '../mailboxes/local-part.ts';
import { encodeId } from '../model/ids.ts';

/** The address of the mailbox of a route, which is not in the row of the route. */
export interface MailboxAddress {
  mailboxDomain: string | null;
  mailboxDomainId: string | null;
  mailboxLocalPart: string | null;
}

export type RouteRow = Selectable<Tables['routes']>;

const routeBody = bodyOf(Route);

export function routeRecord(row: RouteRow & MailboxAddress): Route {
  const domain = row.domain ?? row.mailboxDomain ?? '';
  const localPart = row.localPart ?? row.mailboxLocalPart;
  return routeBody({
    ...row,
    id: encodeId('rt', row.id),
    matches: row.kind,
    address: localPart === null ? null : addressOf({ localPart, domain }),
    domain,
    domainId: encodeId('dom', row.domainId ?? row.mailboxDomainId ?? ''),
    mailboxId: row.mailboxId === null ? null : encodeId('mbx', row.mailboxId),
    hasCredentials: row.credentialsSealed !== null,
    failingSince: row.failingSince?.toISOString() ?? null,
    deferred: Number(row.deferred),
  });
}

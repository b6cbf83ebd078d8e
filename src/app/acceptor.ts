import { HostedAddresses } from '../mailboxes/hosted-addresses.ts';
import { ReservedAddresses } from '../mailboxes/reserved-addresses.ts';
import { Acceptor } from '../sending/accept/accept-email.ts';
import type { BaseCore } from './base-core.ts';

/** Creates the service that accepts every email to be sent, whether it arrives over HTTP or SMTP. The core closes the service. */
export function createAcceptor({
  database,
  config,
  sendingDomains,
  baseUrl,
  wake,
  stack,
}: BaseCore): Acceptor {
  const { hostedDomain } = config;
  return stack.use(
    new Acceptor({
      database,
      sendingDomains,
      hostedAddresses: new HostedAddresses(database, hostedDomain),
      reservedAddresses: new ReservedAddresses(database, hostedDomain),
      baseUrl,
      onQueued: wake,
    }),
  );
}

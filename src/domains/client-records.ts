/** The records by which mail apps find the servers of a domain from an address (RFC 6186; RFC 8314, section 5.1). All are optional. */
import { bestService, type MailAccess, type MailService } from '../rfc/mail-setup/mail-access.ts';
import type { ExpectedRecord } from './expected-records.ts';

const TTL_SECONDS = 3_600;

/** Of each service its label, and the protection that it stands for. Plain POP3 is old: nothing says that it is there or not. */
const SERVICES = [
  ['_submissions', 'submission', 'tls'],
  ['_submission', 'submission', 'starttls'],
  ['_imaps', 'imap', 'tls'],
  ['_imap', 'imap', 'starttls'],
  ['_pop3s', 'pop3', 'tls'],
] as const satisfies readonly (readonly [string, MailService['protocol'], MailService['security']])[];

/** The value of the record of a service that is not there (RFC 6186, section 3.4). */
const NOT_OFFERED = '0 0 .';

/** Thunderbird and Outlook ask these hosts over HTTP. */
const WEB_LABELS = ['autoconfig', 'autodiscover'];

/** In the order in which they are shown. */
export function clientRecords(domain: string, access: MailAccess): ExpectedRecord[] {
  const shared = { record: 'CLIENT', ttl: TTL_SECONDS, required: false } as const;
  const services = SERVICES.map(([label, protocol, security]): ExpectedRecord => {
    const host = `${label}._tcp`;
    const port = portOf(access, protocol, security);
    const value = port === null ? NOT_OFFERED : `1 ${port} ${access.hostname}`;
    return { ...shared, type: 'SRV', name: `${host}.${domain}`, host, value, priority: 0 };
  });
  const hosts = WEB_LABELS.map(
    (host): ExpectedRecord => ({
      ...shared,
      type: 'CNAME',
      name: `${host}.${domain}`,
      host,
      value: access.webHost,
      priority: null,
    }),
  );
  return [...services, ...hosts];
}

/** A plain service, on a machine for trying out, has the record of the one with STARTTLS. */
function portOf(
  access: MailAccess,
  protocol: MailService['protocol'],
  security: 'tls' | 'starttls',
): number | null {
  const services = access.services.filter((service) =>
    security === 'tls' ? service.security === 'tls' : service.security !== 'tls',
  );
  return bestService({ services }, protocol)?.port ?? null;
}

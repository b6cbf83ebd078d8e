/** The DNS records by which mail apps find the servers for an address (RFC 6186; RFC 8314, section 5.1). All are optional. */
import { bestService, type MailAccess, type MailService } from '../rfc/mail-setup/mail-access.ts';
import type { ExpectedRecord } from './expected-records.ts';

const TTL_SECONDS = 3_600;

/**
 * The SRV label and the kind of TLS of each service. POP3 without TLS is outdated, so no record mentions it, not even one that says that it
 * is not offered.
 */
const SERVICES = [
  ['_submissions', 'submission', 'tls'],
  ['_submission', 'submission', 'starttls'],
  ['_imaps', 'imap', 'tls'],
  ['_imap', 'imap', 'starttls'],
  ['_pop3s', 'pop3', 'tls'],
] as const satisfies readonly (readonly [string, MailService['protocol'], MailService['security']])[];

/** Weight, port and target of an SRV record that says that a service is not offered (RFC 6186, section 3.4). */
const NOT_OFFERED = '0 0 .';

/** The hosts that Thunderbird and Outlook query over HTTP. */
const WEB_LABELS = ['autoconfig', 'autodiscover'];

/** The records for mail apps, in display order. */
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

/**
 * The port of a service; null if the service is not offered. On a test installation without TLS, the STARTTLS record names the port of the
 * plain service.
 */
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

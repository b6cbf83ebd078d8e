import { isIP } from 'node:net';
import { bestService, hostOf, type MailAccess, type MailService } from '../rfc/mail-setup/mail-access.ts';
import type { Config } from './config.ts';

/**
 * The registered ports, without those for STARTTLS in IMAP and POP3 (143 and 110), because new set-ups should not use them (RFC 8314,
 * section 3).
 */
const STANDARD: readonly MailService[] = [
  { protocol: 'imap', security: 'tls', port: 993 },
  { protocol: 'pop3', security: 'tls', port: 995 },
  { protocol: 'submission', security: 'tls', port: 465 },
  { protocol: 'submission', security: 'starttls', port: 587 },
];

export type MailAccessConfig = Pick<
  Config,
  | 'hostname'
  | 'baseUrl'
  | 'publicPorts'
  | 'environment'
  | 'tls'
  | 'acme'
  | 'imapPort'
  | 'imapsPort'
  | 'pop3Port'
  | 'pop3sPort'
  | 'submissionPort'
  | 'submissionsPort'
>;

/**
 * The settings announced to mail apps. The settings are the same on every machine, no matter which roles it runs. Plain connections are
 * announced only in development without a certificate, because without TLS users can sign in only from this machine.
 */
export function mailAccess(config: MailAccessConfig): MailAccess {
  const { hostname, baseUrl } = config;
  const webHost = baseUrl === null ? hostname : new URL(baseUrl).hostname;
  const isName = isIP(webHost.replace(/^\[|\]$/g, '')) === 0 && webHost.includes('.');
  return { hostname, webHost: isName ? webHost : hostname, services: servicesOf(config) };
}

function servicesOf(config: MailAccessConfig): readonly MailService[] {
  if (config.publicPorts === 'standard') return STANDARD;
  const hasTls = config.environment === 'production' || config.tls !== null || config.acme !== null;
  const services: MailService[] = [];
  for (const [protocol, tlsPort, port] of [
    ['imap', config.imapsPort, config.imapPort],
    ['pop3', config.pop3sPort, config.pop3Port],
    ['submission', config.submissionsPort, config.submissionPort],
  ] as const) {
    if (hasTls) services.push({ protocol, security: 'tls', port: tlsPort });
    services.push({ protocol, security: hasTls ? 'starttls' : 'none', port });
  }
  // Port 0 stands for a port that the system picks at startup, so the number cannot be announced.
  return services.filter(({ port }) => port !== 0);
}

/** Host and port of SMTP submission for examples in the documentation. Null if no submission port is announced. */
export function submissionOf(
  access: MailAccess,
): { host: string; port: number; security: MailService['security'] } | null {
  const best = bestService(access, 'submission');
  if (best === undefined) return null;
  return { host: hostOf(access), port: best.port, security: best.security };
}

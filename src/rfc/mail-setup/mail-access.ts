/** The servers to which mail apps connect, for the formats in this folder. */

export interface MailService {
  /** `submission`: SMTP for mail apps (RFC 6409). */
  protocol: 'imap' | 'pop3' | 'submission';
  /** `tls`: implicit TLS. `none`: only in development. */
  security: 'tls' | 'starttls' | 'none';
  port: number;
}

export interface MailAccess {
  /** The server's name, in lower-case A-labels. Apps receive the result of `hostOf`. */
  hostname: string;
  /** The host of the setup pages and files for mail apps. */
  webHost: string;
  /** For each protocol, the best service first: implicit TLS (RFC 8314, section 3). */
  services: readonly MailService[];
}

/** Whether users can only sign in on the same machine, because there are services but no service has TLS. */
export function isLocalAlone({ services }: Pick<MailAccess, 'services'>): boolean {
  return services.length > 0 && services.every(({ security }) => security === 'none');
}

/** The host to which apps connect. If apps must run on the same machine, this is `localhost`: the public name may not resolve or may lead elsewhere. */
export function hostOf(access: Pick<MailAccess, 'hostname' | 'services'>): string {
  return isLocalAlone(access) ? 'localhost' : access.hostname;
}

/** The best service of a protocol. Undefined if the protocol has no service. */
export function bestService(
  { services }: Pick<MailAccess, 'services'>,
  protocol: MailService['protocol'],
): MailService | undefined {
  return services.find((service) => service.protocol === protocol);
}

/** The servers to which mail apps connect, for the formats in this folder. */

export interface MailService {
  /** `submission`: SMTP for mail apps (RFC 6409). */
  protocol: 'imap' | 'pop3' | 'submission';
  /** `tls`: implicit TLS. `none`: only in development. */
  security: 'tls' | 'starttls' | 'none';
  port: number;
}

export interface MailAccess {
  /** The name of the server, in lower-case A-labels. Configurations for apps contain the result of `hostOf` instead. */
  hostname: string;
  /** The host of the setup pages, and of the configuration files for mail apps. */
  webHost: string;
  /** The services, for each protocol the best service first. Implicit TLS is best (RFC 8314, section 3). */
  services: readonly MailService[];
}

/** Whether mail apps must run on the same machine as the servers, because no server offers TLS. False if there are no servers. */
export function isLocalAlone({ services }: Pick<MailAccess, 'services'>): boolean {
  return services.length > 0 && services.every(({ security }) => security === 'none');
}

/** The host to which apps connect. `localhost` if apps must run on this machine, because the public name may resolve elsewhere. */
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

/** Where mail apps reach a server, in the terms of the formats of this folder. */

export interface MailService {
  /** `submission`: SMTP for mail apps (RFC 6409). */
  protocol: 'imap' | 'pop3' | 'submission';
  /** `tls`: from the first byte. `none`: on a machine for trying out. */
  security: 'tls' | 'starttls' | 'none';
  port: number;
}

export interface MailAccess {
  /** Of the server. A-labels, lower case. Apps are told `hostOf`. */
  hostname: string;
  /** Of the pages and files for mail apps. */
  webHost: string;
  /** Of each protocol the best first: TLS from the first byte (RFC 8314, section 3). */
  services: readonly MailService[];
}

/** Whether nobody can sign in from elsewhere: there are services, and none with TLS. */
export function isLocalAlone({ services }: Pick<MailAccess, 'services'>): boolean {
  return services.length > 0 && services.every(({ security }) => security === 'none');
}

/** What apps are told to connect to. Where they must be on the same machine, its name may lead nowhere, or out of it. */
export function hostOf(access: Pick<MailAccess, 'hostname' | 'services'>): string {
  return isLocalAlone(access) ? 'localhost' : access.hostname;
}

/** The best of a protocol; undefined where there is none. */
export function bestService(
  { services }: Pick<MailAccess, 'services'>,
  protocol: MailService['protocol'],
): MailService | undefined {
  return services.find((service) => service.protocol === protocol);
}

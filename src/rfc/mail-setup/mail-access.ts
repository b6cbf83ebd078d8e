/** Where mail apps reach a server, in the terms of the formats of this folder. */

export interface MailService {
  /** `submission`: SMTP for mail apps (RFC 6409). */
  protocol: 'imap' | 'pop3' | 'submission';
  /** `tls`: from the first byte. `none`: on a machine for trying out. */
  security: 'tls' | 'starttls' | 'none';
  port: number;
}

export interface MailAccess {
  /** Of all services. A-labels, lower case. */
  hostname: string;
  /** Of the pages and files for mail apps. */
  webHost: string;
  /** Of each protocol the best first: TLS from the first byte (RFC 8314, section 3). */
  services: readonly MailService[];
}

/** The best of a protocol; undefined where there is none. */
export function bestService(
  { services }: Pick<MailAccess, 'services'>,
  protocol: MailService['protocol'],
): MailService | undefined {
  return services.find((service) => service.protocol === protocol);
}

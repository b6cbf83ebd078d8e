/**
 * The configuration that Thunderbird, K-9 and other apps fetch from `autoconfig.<domain>` (Mozilla file format, version 1.1:
 * https://www.bucksch.org/1/projects/thunderbird/autoconfiguration/config-file-format.html).
 */
import { hostOf, type MailAccess, type MailService } from './mail-access.ts';
import { type Xml, xml } from './xml.ts';

const SOCKET_TYPES = { tls: 'SSL', starttls: 'STARTTLS', none: 'plain' } as const satisfies Record<
  MailService['security'],
  string
>;

/** Returns the configuration for all addresses of a domain; the app inserts the address. @param setupUrl setup instructions for users */
export function autoconfigXml(
  domain: string,
  access: Pick<MailAccess, 'hostname' | 'services'>,
  setupUrl: string,
): string {
  const { services } = access;
  const servers = [
    ...services.filter(({ protocol }) => protocol !== 'submission'),
    ...services.filter(({ protocol }) => protocol === 'submission'),
  ];
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<clientConfig version="1.1">
<emailProvider id="${domain}">
<domain>${domain}</domain>
<displayName>${domain}</displayName>
<displayShortName>${domain}</displayShortName>
${servers.map((service) => server(hostOf(access), service))}<documentation url="${setupUrl}">
<descr lang="en">How to set up a mail app</descr>
</documentation>
</emailProvider>
</clientConfig>
`.toString();
}

function server(hostname: string, { protocol, security, port }: MailService): Xml {
  const settings = xml`<hostname>${hostname}</hostname>
<port>${port}</port>
<socketType>${SOCKET_TYPES[security]}</socketType>
<username>%EMAILADDRESS%</username>
<authentication>password-cleartext</authentication>`;
  return protocol === 'submission'
    ? xml`<outgoingServer type="smtp">
${settings}
</outgoingServer>
`
    : xml`<incomingServer type="${protocol}">
${settings}
</incomingServer>
`;
}

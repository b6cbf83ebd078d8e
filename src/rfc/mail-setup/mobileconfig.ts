/** A configuration profile for Mail on iPhone, iPad and Mac (Apple, Configuration Profile Reference, `com.apple.mail.managed`). */
import { createHash } from 'node:crypto';
import { bestService, isLocalAlone, type MailAccess, type MailService } from './mail-access.ts';
import { type Xml, xml } from './xml.ts';

export const MOBILECONFIG_MEDIA_TYPE = 'application/x-apple-aspen-config';

/**
 * Returns the profile. The profile contains no password, so the app asks the user for the password. The identifiers depend only on the
 * address, so that a second profile replaces the first.
 *
 * @param address the address of the mailbox
 * @returns null if there is no service for reading mail, no service for sending mail, or no service with TLS
 */
export function mobileconfig(
  address: string,
  access: Pick<MailAccess, 'hostname' | 'services'>,
): string | null {
  const [imap, pop3, submission] = (['imap', 'pop3', 'submission'] as const).map((protocol) =>
    bestService(access, protocol),
  );
  const incoming = imap ?? pop3;
  if (incoming === undefined || submission === undefined || isLocalAlone(access)) return null;
  const { hostname } = access;
  const identifier = `${hostname.split('.').reverse().join('.')}.mail.${uuidOf(`identifier ${address}`)}`;
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
<key>PayloadContent</key>
<array>
<dict>
<key>EmailAccountDescription</key>
<string>${address}</string>
<key>EmailAccountType</key>
<string>${incoming.protocol === 'imap' ? 'EmailTypeIMAP' : 'EmailTypePOP'}</string>
<key>EmailAddress</key>
<string>${address}</string>
${server('Incoming', hostname, address, incoming)}${server('Outgoing', hostname, address, submission)}<key>OutgoingPasswordSameAsIncomingPassword</key>
<true/>
<key>PayloadDescription</key>
<string>Mail account ${address}</string>
<key>PayloadDisplayName</key>
<string>${address}</string>
<key>PayloadIdentifier</key>
<string>${identifier}.account</string>
<key>PayloadType</key>
<string>com.apple.mail.managed</string>
<key>PayloadUUID</key>
<string>${uuidOf(`account ${hostname} ${address}`)}</string>
<key>PayloadVersion</key>
<integer>1</integer>
</dict>
</array>
<key>PayloadDescription</key>
<string>Sets up ${address} in the mail app. It contains no password.</string>
<key>PayloadDisplayName</key>
<string>Mail: ${address}</string>
<key>PayloadIdentifier</key>
<string>${identifier}</string>
<key>PayloadRemovalDisallowed</key>
<false/>
<key>PayloadType</key>
<string>Configuration</string>
<key>PayloadUUID</key>
<string>${uuidOf(`profile ${hostname} ${address}`)}</string>
<key>PayloadVersion</key>
<integer>1</integer>
</dict>
</plist>
`.toString();
}

function server(
  side: 'Incoming' | 'Outgoing',
  hostname: string,
  address: string,
  { port, security }: MailService,
): Xml {
  return xml`<key>${side}MailServerAuthentication</key>
<string>EmailAuthPassword</string>
<key>${side}MailServerHostName</key>
<string>${hostname}</string>
<key>${side}MailServerPortNumber</key>
<integer>${port}</integer>
<key>${side}MailServerUseSSL</key>
${security === 'none' ? xml`<false/>` : xml`<true/>`}
<key>${side}MailServerUsername</key>
<string>${address}</string>
`;
}

/** Derives a UUID of version 8 from a name (RFC 9562, section 5.8). */
function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`.toUpperCase();
}

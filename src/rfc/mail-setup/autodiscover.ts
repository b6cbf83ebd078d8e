/** Autodiscover for Outlook and other apps, only for IMAP, POP3 and SMTP ([MS-OXDSCLI], sections 2.2.3 and 2.2.4). */
import { hostOf, type MailAccess, type MailService } from './mail-access.ts';
import { readXml, xml, type XmlElement } from './xml.ts';

const RESPONSE = 'http://schemas.microsoft.com/exchange/autodiscover/responseschema/2006';
const OUTLOOK = 'http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a';

const TYPES = { imap: 'IMAP', pop3: 'POP3', submission: 'SMTP' } as const satisfies Record<
  MailService['protocol'],
  string
>;
/**
 * The values of the elements `SSL` and `Encryption`. Clients that support `Encryption` ignore `SSL`. For other clients, `on` in `SSL` means
 * implicit TLS.
 */
const ENCRYPTIONS = {
  tls: ['on', 'SSL'],
  starttls: ['on', 'TLS'],
  none: ['off', 'None'],
} as const satisfies Record<MailService['security'], readonly [string, string]>;

/** `unsupported`: the client needs another kind of response, for example ActiveSync for a phone. */
export type AutodiscoverRequest = { address: string } | 'unsupported' | 'malformed';

/** Parses a request. Never throws. @param body the body of the request, whose size the caller must limit */
export function readAutodiscover(body: string): AutodiscoverRequest {
  const root = readXml(body);
  const request = root?.name === 'Autodiscover' ? child(root, 'Request') : undefined;
  if (request === undefined) return 'malformed';
  const schema = child(request, 'AcceptableResponseSchema')?.text ?? OUTLOOK;
  if (schema !== OUTLOOK) return 'unsupported';
  const address = child(request, 'EMailAddress')?.text ?? '';
  return address === '' ? 'malformed' : { address };
}

function child({ children }: XmlElement, name: string): XmlElement | undefined {
  return children.find((element) => element.name === name);
}

/** The response to a request. @param address the login name, as in the request */
export function autodiscoverXml(address: string, access: Pick<MailAccess, 'hostname' | 'services'>): string {
  const protocols = access.services.map(({ protocol, security, port }) => {
    const [ssl, encryption] = ENCRYPTIONS[security];
    return xml`<Protocol>
<Type>${TYPES[protocol]}</Type>
<Server>${hostOf(access)}</Server>
<Port>${port}</Port>
<LoginName>${address}</LoginName>
<DomainRequired>off</DomainRequired>
<SPA>off</SPA>
<SSL>${ssl}</SSL>
<Encryption>${encryption}</Encryption>
<AuthRequired>on</AuthRequired>
</Protocol>
`;
  });
  return xml`<?xml version="1.0" encoding="utf-8"?>
<Autodiscover xmlns="${RESPONSE}">
<Response xmlns="${OUTLOOK}">
<Account>
<AccountType>email</AccountType>
<Action>settings</Action>
${protocols}</Account>
</Response>
</Autodiscover>
`.toString();
}

/** The response to an unsupported request: code 601. @param now the current time */
export function autodiscoverError(now: Date): string {
  return xml`<?xml version="1.0" encoding="utf-8"?>
<Autodiscover xmlns="${RESPONSE}">
<Response>
<Error Time="${now.toISOString().slice(11, 23)}" Id="0">
<ErrorCode>601</ErrorCode>
<Message>Only IMAP, POP3 and SMTP are available.</Message>
<DebugData/>
</Error>
</Response>
</Autodiscover>
`.toString();
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { autoconfigXml } from './autoconfig.ts';
import { autodiscoverError, autodiscoverXml, readAutodiscover } from './autodiscover.ts';
import type { MailAccess } from './mail-access.ts';
import { mobileconfig } from './mobileconfig.ts';
import { readXml, type XmlElement } from './xml.ts';

const ACCESS: MailAccess = {
  hostname: 'mx.posthorn.example',
  webHost: 'posthorn.example',
  services: [
    { protocol: 'imap', security: 'tls', port: 993 },
    { protocol: 'imap', security: 'starttls', port: 143 },
    { protocol: 'pop3', security: 'tls', port: 995 },
    { protocol: 'submission', security: 'tls', port: 465 },
    { protocol: 'submission', security: 'starttls', port: 587 },
  ],
};
const HOSTILE = `"&<'x+ä>]]>@acme.example`;

function read(document: string): XmlElement {
  const root = readXml(document);
  assert.ok(root, document);
  return root;
}
const all = ({ children }: XmlElement, name: string) => children.filter((child) => child.name === name);
function only(element: XmlElement, name: string): XmlElement {
  const [found, ...others] = all(element, name);
  assert.ok(found && others.length === 0, name);
  return found;
}
const texts = (element: XmlElement) =>
  Object.fromEntries(element.children.map(({ name, text }) => [name, text]));

describe('autoconfig', () => {
  /** The elements of a server in the order that the format requires, with valid values. */
  const SERVER: [name: string, value: RegExp][] = [
    ['hostname', /^mx\.posthorn\.example$/],
    ['port', /^\d+$/],
    ['socketType', /^(?:plain|SSL|STARTTLS)$/],
    ['username', /^%EMAILADDRESS%$/],
    ['authentication', /^(?:password-cleartext|password-encrypted|OAuth2|none)$/],
  ];

  test('the autoconfig file follows version 1.1 of the format, and lists the servers in order of preference', () => {
    const root = read(autoconfigXml('acme.example', ACCESS, 'https://posthorn.example/mail/setup'));
    assert.deepEqual([root.name, root.attributes.get('version')], ['clientConfig', '1.1']);
    const provider = only(root, 'emailProvider');
    assert.equal(provider.attributes.get('id'), 'acme.example');
    for (const name of ['domain', 'displayName', 'displayShortName'])
      assert.equal(only(provider, name).text, 'acme.example');
    const servers = provider.children.filter(({ name }) => name.endsWith('Server'));
    for (const { name, attributes, children } of servers) {
      assert.match(
        `${name} ${attributes.get('type')}`,
        /^(?:incomingServer (?:imap|pop3)|outgoingServer smtp)$/,
      );
      assert.deepEqual(
        children.map((child) => child.name),
        SERVER.map(([child]) => child),
      );
      for (const [at, [, value]] of SERVER.entries()) assert.match(children[at]?.text ?? '', value);
    }
    assert.deepEqual(
      servers.map(
        (server) =>
          `${server.attributes.get('type')} ${texts(server)['socketType']} ${texts(server)['port']}`,
      ),
      ['imap SSL 993', 'imap STARTTLS 143', 'pop3 SSL 995', 'smtp SSL 465', 'smtp STARTTLS 587'],
    );
    assert.equal(
      only(provider, 'documentation').attributes.get('url'),
      'https://posthorn.example/mail/setup',
    );
  });

  test('the autoconfig file marks a server without TLS as plain, with the host name localhost', () => {
    const services = [{ protocol: 'imap', security: 'none', port: 2143 }] as const;
    assert.match(
      autoconfigXml('a.test', { ...ACCESS, services }, ''),
      /<hostname>localhost<\/hostname>\n<port>2143<\/port>\n<socketType>plain<\/socketType>/,
    );
  });
});

describe('Autodiscover', () => {
  const SCHEMA = 'http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a';
  const request = (inner: string) =>
    `<?xml version="1.0" encoding="utf-8"?>\n<Autodiscover xmlns="http://schemas.microsoft.com/exchange/autodiscover/outlook/requestschema/2006"><Request>${inner}</Request></Autodiscover>`;
  const ADDRESS = '<EMailAddress>ann@acme.example</EMailAddress>';

  for (const [what, body, expected] of [
    [
      'an address',
      request(`${ADDRESS}<AcceptableResponseSchema>${SCHEMA}</AcceptableResponseSchema>`),
      { address: 'ann@acme.example' },
    ],
    ['a request with only an address', request(ADDRESS), { address: 'ann@acme.example' }],
    [
      'an address surrounded by whitespace',
      request(ADDRESS.replace('ann', '\r\n ann')),
      { address: 'ann@acme.example' },
    ],
    [
      'the request of a phone',
      request(
        `${ADDRESS}<AcceptableResponseSchema>http://schemas.microsoft.com/exchange/autodiscover/mobilesync/responseschema/2006</AcceptableResponseSchema>`,
      ),
      'unsupported',
    ],
    ['no address', request('<LegacyDN>/o=x</LegacyDN>'), 'malformed'],
    ['an empty address', request('<EMailAddress/>'), 'malformed'],
    [
      'another document',
      '<Other><Request><EMailAddress>a@b.test</EMailAddress></Request></Other>',
      'malformed',
    ],
    ['no XML', '{"address":"ann@acme.example"}', 'malformed'],
    [
      'an entity',
      `<!DOCTYPE x [<!ENTITY a "b">]>${request('<EMailAddress>&a;</EMailAddress>')}`,
      'malformed',
    ],
  ] as const)
    test(`readAutodiscover reads ${what}`, () => assert.deepEqual(readAutodiscover(body), expected));

  test('the Autodiscover response has all services for the requested address', () => {
    const root = read(autodiscoverXml(HOSTILE, ACCESS));
    const account = only(only(root, 'Response'), 'Account');
    assert.deepEqual(
      [only(account, 'AccountType').text, only(account, 'Action').text],
      ['email', 'settings'],
    );
    const protocols = all(account, 'Protocol').map(texts);
    const shared = {
      Server: 'mx.posthorn.example',
      LoginName: HOSTILE,
      DomainRequired: 'off',
      SPA: 'off',
      AuthRequired: 'on',
    };
    assert.deepEqual(protocols[0], { Type: 'IMAP', Port: '993', SSL: 'on', Encryption: 'SSL', ...shared });
    assert.deepEqual(protocols[4], { Type: 'SMTP', Port: '587', SSL: 'on', Encryption: 'TLS', ...shared });
    assert.equal(protocols.length, 5);
  });

  test('the Autodiscover response to an unsupported request has the error code 601', () => {
    const root = read(autodiscoverError(new Date('2026-11-20T15:04:05.123Z')));
    const error = only(only(root, 'Response'), 'Error');
    assert.deepEqual([error.attributes.get('Time'), only(error, 'ErrorCode').text], ['15:04:05.123', '601']);
  });

  test('readAutodiscover never throws', () => {
    fc.assert(fc.property(fc.string(), (inner) => void readAutodiscover(request(inner))));
  });
});

describe('Apple profiles', () => {
  const DOCTYPE = /<!DOCTYPE plist PUBLIC "-\/\/Apple\/\/DTD PLIST 1\.0\/\/EN" "[^"]*">\n/;
  /** Converts a property list into an object. */
  function valueOf(element: XmlElement): unknown {
    const { name, text, children } = element;
    if (name === 'dict') {
      const keys = children.filter((_, at) => at % 2 === 0);
      assert.ok(keys.every((key) => key.name === 'key') && children.length === 2 * keys.length);
      return Object.fromEntries(
        keys.map((key, at) => [key.text, valueOf(children[2 * at + 1] as XmlElement)]),
      );
    }
    if (name === 'array') return children.map(valueOf);
    if (name === 'integer') return Number(text);
    if (name === 'true' || name === 'false') return name === 'true';
    assert.equal(name, 'string');
    return text;
  }
  type Profile = Record<string, unknown> & { PayloadContent: Record<string, unknown>[] };
  function profileOf(address: string, access: MailAccess = ACCESS): Profile {
    const text = mobileconfig(address, access) ?? '';
    assert.match(text, DOCTYPE);
    return valueOf(only(read(text.replace(DOCTYPE, '')), 'dict')) as Profile;
  }

  test('the Apple profile has both servers with implicit TLS, and no password', () => {
    const { PayloadContent, ...profile } = profileOf('ann@acme.example');
    const [account = {}] = PayloadContent;
    assert.partialDeepStrictEqual(profile, { PayloadType: 'Configuration', PayloadVersion: 1 });
    assert.partialDeepStrictEqual(account, {
      PayloadType: 'com.apple.mail.managed',
      EmailAccountType: 'EmailTypeIMAP',
      EmailAddress: 'ann@acme.example',
      IncomingMailServerAuthentication: 'EmailAuthPassword',
      IncomingMailServerHostName: 'mx.posthorn.example',
      IncomingMailServerPortNumber: 993,
      IncomingMailServerUseSSL: true,
      IncomingMailServerUsername: 'ann@acme.example',
      OutgoingMailServerPortNumber: 465,
      OutgoingMailServerUseSSL: true,
      OutgoingPasswordSameAsIncomingPassword: true,
    });
    assert.ok(!Object.keys(account).some((key) => /^(?:Incoming|Outgoing)Password$/.test(key)));
  });

  test('the Apple profile has identifiers that depend only on the address', () => {
    const ids = (address: string) => {
      const { PayloadUUID, PayloadIdentifier, PayloadContent } = profileOf(address);
      return [PayloadUUID, PayloadIdentifier, PayloadContent[0]?.['PayloadUUID']] as string[];
    };
    assert.deepEqual(ids('ann@acme.example'), ids('ann@acme.example'));
    const both = [...ids('ann@acme.example'), ...ids('ben@acme.example')];
    assert.equal(new Set(both).size, 6);
    assert.match(both[0] ?? '', /^[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-A[0-9A-F]{3}-[0-9A-F]{12}$/);
  });

  test('the Apple profile contains the address unchanged', () => {
    const { PayloadContent } = profileOf(HOSTILE);
    assert.equal(PayloadContent[0]?.['EmailAddress'], HOSTILE);
  });

  test('there is no Apple profile without a submission server', () => {
    const services = ACCESS.services.filter(({ protocol }) => protocol !== 'submission');
    assert.equal(mobileconfig('ann@acme.example', { ...ACCESS, services }), null);
  });
});

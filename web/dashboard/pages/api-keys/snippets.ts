/** Code examples with a key's values filled in, so that the examples work unchanged. */
import type { CreatedApiKey } from '../../../../src/contract/dashboard/api-keys.ts';
import type { Session } from '../../../../src/contract/dashboard/session.ts';

type Service = Session['service'];

export interface Snippet {
  name: string;
  code: string;
}

/** What the example reads if the key cannot send: each scope with its endpoint. The first scope that the key has is used. */
const READS = [
  ['emails:read', 'emails'],
  ['domains:read', 'domains'],
  ['mailboxes:read', 'mailboxes'],
  ['webhooks:read', 'webhooks'],
  ['routes:read', 'routes'],
  ['templates:read', 'templates'],
  ['directory:read', 'directory'],
  ['suppressions:read', 'suppressions'],
] as const;

export function snippetsOf(key: CreatedApiKey, service: Service): Snippet[] {
  const { scopes, token } = key;
  const base = service.base_url;
  if (scopes === null || scopes.includes('emails:send')) return sending(key, service);
  const readable = READS.find(([scope]) => scopes.includes(scope));
  if (readable === undefined) return [];
  return [{ name: 'curl', code: `curl ${base}/v1/${readable[1]} \\\n  -H 'Authorization: Bearer ${token}'` }];
}

function sending(key: CreatedApiKey, service: Service): Snippet[] {
  const { token } = key;
  const { base_url: base, hostname, submission } = service;
  const [from, to] = [senderOf(key, service), recipientOf(key)];
  const email = { from, to: [to], subject: 'Hello', text: 'It works.' };
  const [port] = submission;
  return [
    {
      name: 'curl',
      code: [
        `curl ${base}/v1/emails \\`,
        `  -H 'Authorization: Bearer ${token}' \\`,
        "  -H 'Content-Type: application/json' \\",
        `  -d '${JSON.stringify(email)}'`,
      ].join('\n'),
    },
    {
      name: 'TypeScript',
      code: [
        "import { Posthorn } from '@posthorn/sdk';",
        '',
        `const posthorn = new Posthorn({ apiKey: '${token}', baseUrl: '${base}' });`,
        '',
        'await posthorn.emails.send({',
        `  from: '${from}',`,
        `  to: ['${to}'],`,
        "  subject: 'Hello',",
        "  text: 'It works.',",
        '});',
      ].join('\n'),
    },
    ...(port === undefined
      ? []
      : [
          {
            name: 'SMTP',
            code: [
              `Host      ${hostname}`,
              `Port      ${port.port}`,
              `Security  ${SECURITY[port.security]}`,
              'User      apikey',
              `Password  ${token}`,
            ].join('\n'),
          },
        ]),
  ];
}

const SECURITY: Readonly<Record<Service['submission'][number]['security'], string>> = {
  tls: 'TLS',
  starttls: 'STARTTLS',
  none: 'none, on this machine only',
};

/** Matches text that needs no escaping inside quotes of any kind, in a shell or in a program. */
const PLAIN = /^[\w.+*@-]+$/;

function senderOf({ from_domains }: CreatedApiKey, { hosted_domain }: Service): string {
  return `hello@${(from_domains?.find((each) => PLAIN.test(each)) ?? hosted_domain).replace(/^\*\./, 'mail.')}`;
}

function recipientOf({ recipients }: CreatedApiKey): string {
  const pattern = recipients?.find((each) => PLAIN.test(each)) ?? 'you@example.com';
  return pattern.replace(/^\*@/, 'you@').replace('@*.', '@mail.');
}

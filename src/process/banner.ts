import { linkUrl } from '../accounts/link-url.ts';
import type { FirstStart } from '../app/app.ts';
import type { Config } from '../app/config.ts';
import type { OpenPorts } from '../app/ports.ts';
import { databaseAddress } from '../db/connection-url.ts';
import { COMMAND_LINE } from '../model/command-line.ts';
import { VERSION } from '../model/version.ts';
import { ownUrl } from '../app/own-address.ts';
import { isLoopback } from '../sending/deliver/smtp/host-address.ts';

const NAME_WIDTH = 11;

/**
 * The text that the service prints when it is ready. The API key is shown only at the first start. If the first start is killed before it
 * shows the key, the operator needs another one: the last line of the banner at later starts says how to create it.
 */
export function banner(
  config: Config,
  ports: OpenPorts,
  firstStart: FirstStart | null,
  welcomeToken: string | null = null,
): string {
  const baseUrl = ownUrl(config, ports.http ?? 0);
  const hasApi = config.roles.includes('http');
  const rows = [
    ...(hasApi
      ? [
          ['API', baseUrl],
          ['Dashboard', `${baseUrl}/dashboard`],
          // The sandbox sends no mail, so show where the emails can be read.
          ...(config.provider === 'sandbox' ? [['Inbox', `${baseUrl}/dashboard/emails`]] : []),
          ['Web client', `${config.mailUrl ?? baseUrl}/mail`],
          ['Docs', `${baseUrl}/docs`],
        ]
      : [['Status', `${ownUrl({ ...config, baseUrl: null }, ports.http ?? 0)}/readyz`]]),
    ...(ports.https === null ? [] : [['HTTPS', `port ${ports.https}`]]),
    ...(config.roles.includes('smtp') ? [['Mail in', mailIn(ports.smtp)]] : []),
    ...(ports.imap === null && ports.pop3 === null && ports.submission === null
      ? []
      : [['Mail apps', mailApps(ports)]]),
    ['Listens', listens(config)],
    ...(config.hostname.includes('.')
      ? []
      : [['Host name', `${config.hostname}: not a DNS name. Set POSTHORN_HOSTNAME before you add domains`]]),
    ['Roles', config.roles.join(', ')],
    config.databaseUrl === null ? ['Data', config.dataDir] : ['Database', hostsOf(config.databaseUrl)],
    ['Provider', provider(config)],
  ];
  const lines = [
    '',
    `Posthorn ${VERSION} is ready.`,
    '',
    ...rows.map(([name = '', value]) => `  ${name.padEnd(NAME_WIDTH)}${value}`),
    '',
  ];
  if (firstStart !== null) {
    lines.push(firstKey(firstStart));
    if (hasApi)
      lines.push('Send your first email:', '', curl(baseUrl, firstStart.token, config.hostedDomain), '');
  }
  if (welcomeToken !== null)
    lines.push(
      'Sign in to the dashboard as its owner. The link works once, within 24 hours. Until you use it, each start prints a new one:',
      '',
      `  ${linkUrl(baseUrl, 'welcome', welcomeToken)}`,
      '',
    );
  lines.push(`To create more keys: ${COMMAND_LINE} key create --project default --name <name>`, '');
  return `${lines.join('\n')}\n`;
}

function listens({ listen }: Config): string {
  const where = listen.every(isLoopback)
    ? 'only on this machine'
    : `on ${listen.map((address) => (address === '::' ? 'all addresses' : address)).join(', ')}`;
  return `${where} (POSTHORN_LISTEN)`;
}

/** Describes the API key of the first start. Also printed if the first start creates the key and then fails to open its ports. */
export function firstKey({ token, keyId }: FirstStart): string {
  return [
    'Key of the project "default", with full access. It is shown only once:',
    '',
    `  ${token}`,
    '',
    'If it leaks, revoke it:',
    '',
    `  ${COMMAND_LINE} key revoke --project default --id ${keyId}`,
    '',
  ].join('\n');
}

/** The last lines of the banner while sending is paused. */
export function pausedNotice(since: string): string {
  return `Sending has been paused since ${since}. Emails are accepted, but not sent. To resume sending, run\n\n  ${COMMAND_LINE} queue resume\n\n(docs/operate/backup.md)\n`;
}

function provider(config: Config): string {
  if (config.provider === null) return 'none: no mail is sent until POSTHORN_PROVIDER is set';
  if (config.provider === 'sandbox') return 'sandbox (nothing leaves this machine)';
  if (config.ses !== null)
    return `ses, in ${config.ses.region}${config.ses.topicArn === null ? ', without feedback' : ''}`;
  // Show the host name, so that the operator notices the default one, which other servers can rarely resolve.
  return config.provider === 'direct' ? `direct, as ${config.hostname}` : config.provider;
}

/** @param port null if the smart host listens on the port for incoming mail */
function mailIn(port: number | null): string {
  return port === null
    ? 'not received: the smart host listens on POSTHORN_SMTP_PORT of this machine'
    : `SMTP port ${port}, for mailboxes, bounces and complaints`;
}

function mailApps({ submission, submissions, imap, imaps, pop3, pop3s }: OpenPorts): string {
  const protocols = [
    { name: 'IMAP', port: imap, secure: imaps },
    { name: 'POP3', port: pop3, secure: pop3s },
    { name: 'submission', port: submission, secure: submissions },
  ].filter(({ port }) => port !== null);
  const ports = protocols.map(
    ({ name, port, secure }) => `${name} port ${port}${secure === null ? '' : `, with TLS ${secure}`}`,
  );
  const hasTls = protocols.every(({ secure }) => secure !== null);
  return `${ports.join('; ')}${hasTls ? '' : '. Without a certificate, sign-in works only from this machine'}`;
}

function curl(baseUrl: string, token: string, hostedDomain: string): string {
  const email = {
    from: `Posthorn <hello@${hostedDomain}>`,
    to: ['you@example.com'],
    subject: 'Hello',
    text: 'It works.',
  };
  // The JSON is safe between single quotes, because it contains none.
  return `curl -sS -X POST ${baseUrl}/v1/emails -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${JSON.stringify(email)}'`;
}

function hostsOf(databaseUrl: string): string {
  return databaseAddress(databaseUrl)
    .hosts.map(({ host, port }) => (host.startsWith('/') || port === 5_432 ? host : `${host}:${port}`))
    .join(', ');
}

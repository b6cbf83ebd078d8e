/**
 * The only reader of the environment. `SETTINGS` and `SES_SETTINGS` describe every variable. `readConfig`, `posthorn config`,
 * docs/operate/configuration.md and the check for unknown variables all use these two tables.
 */
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { Bucket } from '../blobs/object-bucket.ts';
import { databaseAddress } from '../db/connection-url.ts';
import { PLANS } from '../model/plans.ts';
import { isLoopback } from '../sending/deliver/smtp/host-address.ts';
import { ConfigError, type Reader } from './config-readers.ts';
import * as read from './config-readers.ts';

export { ConfigError } from './config-readers.ts';

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export interface Setting {
  name: string;
  /** The part of the value that is never shown. */
  hides?: 'all' | 'password' | 'keys';
  /** The text to read if the variable is not set. */
  default?: string;
  /** For settings without a default: describes the behavior if the variable is not set. The value is null in that case. */
  without?: string;
  /** `NAME` or `NAME=value`: this setting is required if the variable `NAME` is set, or has the value. */
  requiredWith?: string;
  reader: Reader<unknown>;
  meaning: string;
}

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const ROLES = ['http', 'smtp', 'submission', 'imap', 'pop3', 'worker'] as const;

// biome-ignore format: a table
const SETTINGS = {
  dataDir: { name: 'POSTHORN_DATA', default: './data', reader: read.absolutePath,
    meaning: 'folder for the embedded PostgreSQL, the secret and the files of large messages' },
  databaseUrl: { name: 'POSTHORN_DATABASE_URL', hides: 'password', without: 'embedded PostgreSQL in the data folder', reader: read.databaseUrl,
    meaning: 'postgres:// URL of PostgreSQL 15 or later; separate several hosts with commas' },
  connections: { name: 'POSTHORN_DB_CONNECTIONS', default: '10', reader: read.wholeNumber(2, 500),
    meaning: 'maximum connections to PostgreSQL per process, for accepting, sending and webhooks' },
  readConnections: { name: 'POSTHORN_DB_READ_CONNECTIONS', default: '4', reader: read.wholeNumber(1, 500),
    meaning: 'maximum additional connections per process with the role http, for lists of emails' },
  reportConnections: { name: 'POSTHORN_DB_REPORT_CONNECTIONS', default: '4', reader: read.wholeNumber(1, 500),
    meaning: 'maximum additional connections per process, for incoming mail' },
  mailConnections: { name: 'POSTHORN_DB_MAIL_CONNECTIONS', default: '6', reader: read.wholeNumber(1, 500),
    meaning: 'maximum additional connections per process, for mail apps' },
  blobs: { name: 'POSTHORN_BLOBS', hides: 'password', without: 'files in the data folder', reader: read.bucketUrl,
    meaning: 'bucket for messages of more than 64 KB: s3://key:secret@host[:port]/bucket[?region=name]; over https, in development over http to this machine' },
  secret: { name: 'POSTHORN_SECRET', hides: 'all', without: 'a file in the data folder', requiredWith: 'POSTHORN_DATABASE_URL', reader: read.secret,
    meaning: 'key that encrypts private keys in the database and authenticates return paths; at least 16 characters; keep a copy' },
  listen: { name: 'POSTHORN_LISTEN', without: 'this machine only in development, all addresses in production', reader: read.ipAddresses,
    meaning: 'addresses to listen on, for every port, separated by commas: 127.0.0.1,::1 is this machine only, :: is all addresses, IPv6 and IPv4' },
  httpPort: { name: 'POSTHORN_HTTP_PORT', default: '8025', reader: read.wholeNumber(0, 65_535),
    meaning: 'port of the API; without the role http, of /readyz and /metrics; 0 picks a free one' },
  httpsPort: { name: 'POSTHORN_HTTPS_PORT', without: 'none', reader: read.wholeNumber(0, 65_535),
    meaning: 'port of the API over https, with the certificate of POSTHORN_TLS_CERT or POSTHORN_ACME; clients reach it at port 443; 0 picks a free one' },
  smtpPort: { name: 'POSTHORN_SMTP_PORT', default: '2525', reader: read.wholeNumber(0, 65_535),
    meaning: 'port that receives mail for mailboxes, bounces and complaints; other servers reach it at port 25; 0 picks a free one' },
  submissionPort: { name: 'POSTHORN_SUBMISSION_PORT', default: '2587', reader: read.wholeNumber(0, 65_535),
    meaning: 'port where mail apps and applications submit mail, with STARTTLS; they reach it at port 587; 0 picks a free one' },
  submissionsPort: { name: 'POSTHORN_SUBMISSIONS_PORT', default: '2465', reader: read.wholeNumber(0, 65_535),
    meaning: 'port for submission with TLS from the first byte, open only with a certificate; clients reach it at port 465; 0 picks a free one' },
  devSmtpPort: { name: 'POSTHORN_DEV_SMTP_PORT', without: 'none', reader: read.wholeNumber(0, 65_535),
    meaning: 'port that catches all mail and opens an inbox without sign-in, for posthorn dev, which sets it; only in development, with the sandbox, on loopback addresses; 0 picks a free one' },
  imapPort: { name: 'POSTHORN_IMAP_PORT', default: '2143', reader: read.wholeNumber(0, 65_535),
    meaning: 'port of IMAP for mail apps, with STARTTLS; they reach it at port 143; 0 picks a free one' },
  imapsPort: { name: 'POSTHORN_IMAPS_PORT', default: '2993', reader: read.wholeNumber(0, 65_535),
    meaning: 'port of IMAP with TLS from the first byte, open only with a certificate; mail apps reach it at port 993; 0 picks a free one' },
  pop3Port: { name: 'POSTHORN_POP3_PORT', default: '2110', reader: read.wholeNumber(0, 65_535),
    meaning: 'port of POP3 for mail apps, with STLS; they reach it at port 110; 0 picks a free one' },
  pop3sPort: { name: 'POSTHORN_POP3S_PORT', default: '2995', reader: read.wholeNumber(0, 65_535),
    meaning: 'port of POP3 with TLS from the first byte, open only with a certificate; mail apps reach it at port 995; 0 picks a free one' },
  publicPorts: { name: 'POSTHORN_PUBLIC_PORTS', default: 'configured', reader: read.oneOf(['configured', 'standard']),
    meaning: 'ports announced to mail apps: configured for the ports above, standard if 993, 995, 465 and 587 are forwarded to them' },
  postmaster: { name: 'POSTHORN_POSTMASTER', without: 'none: stored under System for 30 days', reader: read.mailAddress,
    meaning: 'address of the local mailbox that receives mail for the operator: postmaster, and postmaster and abuse of domains without a mailbox of that name' },
  baseUrl: { name: 'POSTHORN_BASE_URL', without: 'http://localhost:<POSTHORN_HTTP_PORT>', reader: read.httpAddress,
    meaning: 'address at which clients reach the service' },
  mailUrl: { name: 'POSTHORN_MAIL_URL', without: '/mail under POSTHORN_BASE_URL', reader: read.httpAddress,
    meaning: 'address of the web client on a separate host: the client is served only there, and that host serves nothing else' },
  securityContact: { name: 'POSTHORN_SECURITY_CONTACT', without: 'none: there is no security.txt', reader: read.contact,
    meaning: 'where to report a vulnerability, published in /.well-known/security.txt: an address such as security@acme.example, or the https address of a page' },
  hostname: { name: 'POSTHORN_HOSTNAME', without: "this machine's host name", reader: read.domainName,
    meaning: 'name that Posthorn sends in EHLO, and that the DNS records of domains point to' },
  mxNames: { name: 'POSTHORN_MX_NAMES', without: 'none', reader: read.hostNames,
    meaning: 'other host names of this installation for MX records, separated by commas: mail for a domain is received here if its MX records name one of them or POSTHORN_HOSTNAME' },
  hostedDomain: { name: 'POSTHORN_HOSTED_DOMAIN', default: 'posthorn.localhost', reader: read.domainName,
    meaning: 'domain from which every project may send' },
  mailFrom: { name: 'POSTHORN_MAIL_FROM', without: 'posthorn@ of POSTHORN_HOSTED_DOMAIN', reader: read.mailAddress,
    meaning: 'sender address of password resets, invitations and other mail of the service; at the hosted domain, at a domain that an operator added to the installation, or at one that a project has verified. The address is reserved, and stays reserved once mail was sent from it' },
  oidcIssuer: { name: 'POSTHORN_OIDC_ISSUER', without: 'none', reader: read.issuer,
    meaning: 'OpenID provider for signing in to the dashboard: its issuer, exactly as in its discovery document; https, or http in development' },
  oidcClientId: { name: 'POSTHORN_OIDC_CLIENT_ID', without: 'none', requiredWith: 'POSTHORN_OIDC_ISSUER', reader: read.line('the client id from the OpenID provider'),
    meaning: 'client id of this service at the OpenID provider; its redirect address is POSTHORN_BASE_URL/dashboard/openid' },
  oidcClientSecret: { name: 'POSTHORN_OIDC_CLIENT_SECRET', hides: 'all', without: 'none: PKCE alone', reader: read.line('the client secret from the OpenID provider'),
    meaning: 'client secret of this service at the OpenID provider' },
  dns: { name: 'POSTHORN_DNS', without: "the system's resolvers", reader: read.dnsServer,
    meaning: 'ip:port of a DNS resolver; if set, no other resolver is used' },
  environment: { name: 'POSTHORN_ENV', default: 'development', reader: read.oneOf(['development', 'production']),
    meaning: 'development or production; in production, mail, webhooks and DNS queries for domains go to public addresses only, and webhooks require https' },
  provider: { name: 'POSTHORN_PROVIDER', without: 'sandbox in development; none in production, so nothing is sent', reader: read.oneOf(['sandbox', 'smtp', 'direct', 'ses']),
    meaning: "sandbox delivers nothing outside and simulates outcomes; smtp hands all mail to POSTHORN_SMTP_URL; direct delivers to the recipients' servers; ses hands all mail to Amazon SES; required in production" },
  smartHost: { name: 'POSTHORN_SMTP_URL', hides: 'password', without: 'none', requiredWith: 'POSTHORN_PROVIDER=smtp', reader: read.smartHostUrl,
    meaning: 'smart host: smtp://[user:password@]host[:587] (STARTTLS) or smtps://[user:password@]host[:465]' },
  smartHostConnections: { name: 'POSTHORN_SMTP_CONNECTIONS', default: '10', reader: read.wholeNumber(1, 1_000),
    meaning: 'maximum connections to the smart host, for all workers on all machines together' },
  mxPort: { name: 'POSTHORN_MX_PORT', default: '25', reader: read.wholeNumber(1, 65_535),
    meaning: "port that direct delivery connects to at the recipients' servers" },
  shaping: { name: 'POSTHORN_SHAPING', without: 'none', reader: read.readableFile,
    meaning: 'YAML file with limits for destinations, which override the built-in ones; reloaded when it changes' },
  tlsCertificate: { name: 'POSTHORN_TLS_CERT', without: 'none: without POSTHORN_ACME there is no TLS', requiredWith: 'POSTHORN_TLS_KEY', reader: read.readableFile,
    meaning: 'PEM file with the certificate of POSTHORN_HOSTNAME and its chain' },
  tlsKey: { name: 'POSTHORN_TLS_KEY', without: 'none', requiredWith: 'POSTHORN_TLS_CERT', reader: read.readableFile,
    meaning: 'PEM file with the private key of POSTHORN_TLS_CERT' },
  acme: { name: 'POSTHORN_ACME', without: 'off', reader: read.acmeDirectory,
    meaning: "on obtains certificates for POSTHORN_HOSTNAME and the hosts of POSTHORN_BASE_URL and POSTHORN_MAIL_URL from Let's Encrypt, and agrees to its terms; or the https address of another ACME directory; POSTHORN_TLS_CERT takes precedence" },
  rspamdUrl: { name: 'POSTHORN_RSPAMD_URL', hides: 'password', without: 'none: the built-in scorer', reader: read.httpAddress,
    meaning: 'address of an rspamd that scores incoming mail, such as http://localhost:11333' },
  dnsbl: { name: 'POSTHORN_DNSBL', hides: 'keys', without: 'none', reader: read.blocklists('address'),
    meaning: 'blocklists of addresses that add points to the spam score, separated by commas: zen.spamhaus.org, or list.example=127.0.0.2:1.5 with the answers that count and their points; see the terms of each list; not used with POSTHORN_RSPAMD_URL' },
  uribl: { name: 'POSTHORN_URIBL', hides: 'keys', without: 'none', reader: read.blocklists('domain'),
    meaning: 'blocklists of domains, which are asked about the links of incoming mail, in the same form: dbl.spamhaus.org' },
  clamd: { name: 'POSTHORN_CLAMD', without: 'none: files of links are not scanned', reader: read.clamdAddress,
    meaning: 'socket of ClamAV, which scans files before links serve them: a path such as /run/clamav/clamd.ctl, or host:port' },
  maxImportMb: { name: 'POSTHORN_MAX_IMPORT_MB', default: '40', reader: read.wholeNumber(40, 128),
    meaning: 'largest message, in MB, that mail apps may store over IMAP and that imports may store; mail over SMTP is limited to 40 MB' },
  rateLimit: { name: 'POSTHORN_RATE_LIMIT', default: '100', reader: read.wholeNumber(0, 1_000_000),
    meaning: 'requests per second for each API key, with a burst of ten times as many; 0 turns rate limits off' },
  defaultPlan: { name: 'POSTHORN_DEFAULT_PLAN', default: 'paid', reader: read.oneOf(PLANS),
    meaning: 'plan of a new project: free or paid' },
  keepDays: { name: 'POSTHORN_KEEP_DAYS', without: 'forever', reader: read.wholeNumber(1, 36_500),
    meaning: 'days that emails are stored; a project can set a shorter time' },
  trustedProxies: { name: 'POSTHORN_TRUSTED_PROXIES', without: 'none', reader: read.list,
    meaning: 'addresses or CIDR ranges, separated by commas, whose X-Forwarded-For is trusted' },
  trustedRelays: { name: 'POSTHORN_TRUSTED_RELAYS', without: 'none', reader: read.networks,
    meaning: 'networks of your gateways and backup MX, separated by commas; for a message from such a host, SPF and DMARC check the client from which the host received it, and the message is never rejected because of DMARC' },
  arcSealers: { name: 'POSTHORN_ARC_SEALERS', default: 'default', reader: read.arcSealers,
    meaning: 'domains whose ARC seals are trusted, separated by commas; default means well-known forwarders; none trusts no seal' },
  proxyProtocol: { name: 'POSTHORN_PROXY_PROTOCOL', without: 'none', reader: read.networksOfDoors,
    meaning: 'networks of TCP proxies whose connections must begin with a PROXY header, by port: name=network, separated by commas, where the name is smtp, submission, submissions, imap, imaps, pop3, pop3s or all' },
  metricsToken: { name: 'POSTHORN_METRICS_TOKEN', hides: 'all', without: 'none: in development only this machine can read /metrics, in production no client can', reader: read.bearerToken,
    meaning: 'bearer token required to read /metrics; at least 16 characters' },
  logLevel: { name: 'POSTHORN_LOG_LEVEL', default: 'info', reader: read.oneOf(LOG_LEVELS),
    meaning: `lowest level that is logged: ${LOG_LEVELS.join(', ')}` },
  roles: { name: 'POSTHORN_ROLES', default: ROLES.join(','), reader: read.someOf(ROLES),
    meaning: 'roles that this instance runs, separated by commas' },
} as const satisfies Record<string, Setting>;

/** These settings are read only with `POSTHORN_PROVIDER=ses`, so that a mistake in them does not stop a service that does not use SES. */
// biome-ignore format: a table
const SES_SETTINGS = {
  region: { name: 'POSTHORN_SES_REGION', requiredWith: 'POSTHORN_PROVIDER=ses', reader: read.awsRegion,
    meaning: 'AWS region of Amazon SES, such as eu-central-1' },
  accessKeyId: { name: 'POSTHORN_SES_ACCESS_KEY_ID', requiredWith: 'POSTHORN_PROVIDER=ses', reader: read.line('the id of an AWS access key'),
    meaning: 'access key of an IAM user with the permissions ses:SendEmail and ses:SendRawEmail' },
  secretAccessKey: { name: 'POSTHORN_SES_SECRET_ACCESS_KEY', hides: 'all', requiredWith: 'POSTHORN_PROVIDER=ses', reader: read.line('the secret of the AWS access key'),
    meaning: 'secret of that access key' },
  configurationSet: { name: 'POSTHORN_SES_CONFIGURATION_SET', without: 'none', reader: read.line('the name of a configuration set'),
    meaning: 'SES configuration set for all mail, whose events are published to the topic' },
  topicArn: { name: 'POSTHORN_SES_TOPIC_ARN', without: 'none: no feedback is received', reader: read.topicArn,
    meaning: 'ARN of the SNS topic whose notifications are accepted at /ses/notifications' },
  endpoint: { name: 'POSTHORN_SES_ENDPOINT', without: 'https://email.<region>.amazonaws.com', reader: read.httpOrigin,
    meaning: 'address of the SES API; if set, SNS certificates are fetched from it too' },
} as const satisfies Record<string, Setting>;

export const ALL_SETTINGS: readonly Setting[] = [...Object.values(SETTINGS), ...Object.values(SES_SETTINGS)];

export const SETTING_NAMES: readonly string[] = ALL_SETTINGS.map(({ name }) => name);

type Values<Table> = {
  readonly [Field in keyof Table]: Table[Field] extends { reader: Reader<infer Value> }
    ? Table[Field] extends { without: string }
      ? Value | null
      : Value
    : never;
};

/** The parsed values. The value of a setting with `without` may be null. */
export type Config = ReturnType<typeof readConfig>;
export type ConfiguredRole = Config['roles'][number];
export type ConfiguredLogLevel = Config['logLevel'];
export type SesAccount = Values<typeof SES_SETTINGS>;

const THIS_MACHINE: readonly string[] = ['127.0.0.1', '::1'];
const ALL_ADDRESSES: readonly string[] = ['::'];

/** @throws ConfigError */
export function readConfig(env: EnvironmentVariables) {
  const { tlsCertificate, tlsKey, acme, oidcIssuer, oidcClientId, oidcClientSecret, ...values } = readTable(
    SETTINGS,
    env,
  );
  assertOwnHost(values);
  const name = values.hostname ?? ownHostname();
  const tls =
    tlsCertificate === null || tlsKey === null ? null : { certPath: tlsCertificate, keyPath: tlsKey };
  const provider = values.provider ?? (values.environment === 'production' ? null : ('sandbox' as const));
  const listen = values.listen ?? (values.environment === 'production' ? ALL_ADDRESSES : THIS_MACHINE);
  assertDevelopment({ ...values, provider, listen });
  return {
    ...values,
    provider,
    isProviderNamed: values.provider !== null,
    listen,
    hostname: name,
    mxNames: values.mxNames ?? [],
    trustedProxies: values.trustedProxies ?? [],
    proxyProtocol: values.proxyProtocol ?? [],
    trustedRelays: values.trustedRelays ?? [],
    blocklists: [...(values.dnsbl ?? []), ...(values.uribl ?? [])],
    tls,
    acme:
      acme === null || tls !== null
        ? null
        : { directory: acme, names: acmeNames(name, [values.baseUrl, values.mailUrl]) },
    blobs: values.blobs === null ? null : withScheme(values.blobs, values.environment),
    openId: openIdProvider(values.environment, oidcIssuer, oidcClientId, oidcClientSecret),
    ses: values.provider === 'ses' ? readTable(SES_SETTINGS, env) : null,
  };
}

/** The names for ACME certificates. Clients without SNI get the certificate of the first name. @throws ConfigError */
function acmeNames(hostname: string, urls: readonly (string | null)[]): readonly [string, ...string[]] {
  const hosts = [hostname, ...urls.flatMap((url) => (url === null ? [] : [new URL(url).hostname]))];
  const [first, ...others] = new Set(
    hosts.filter((host) => host.includes('.') && read.isDomainName(host) && isIP(host) === 0),
  );
  if (first !== undefined) return [first, ...others];
  throw new ConfigError(
    'POSTHORN_ACME is on, but there is no name to get a certificate for. Set POSTHORN_HOSTNAME to the full name of this machine, such as mail.acme.example.',
  );
}

/** The web client needs a separate host, not just a port, because cookies are shared between ports. @throws ConfigError */
function assertOwnHost({ baseUrl, mailUrl }: { baseUrl: string | null; mailUrl: string | null }): void {
  if (mailUrl === null) return;
  const { hostname, pathname } = new URL(mailUrl);
  if (pathname !== '/')
    throw new ConfigError(
      'POSTHORN_MAIL_URL has a path. Remove the path: the web client is always at /mail of its host.',
    );
  if (baseUrl !== null && hostname === new URL(baseUrl).hostname)
    throw new ConfigError(
      'POSTHORN_MAIL_URL has the host of POSTHORN_BASE_URL. Use another host name for the web client, or remove POSTHORN_MAIL_URL. Use another host name for the web client, or remove POSTHORN_MAIL_URL.',
    );
}

/**
 * The port that catches mail has no sign-in, and neither has the inbox that opens with it. Attack: a mistake in the environment of a real
 * installation opens its emails to the network.
 * @throws ConfigError
 */
function assertDevelopment(config: {
  devSmtpPort: number | null;
  environment: string;
  provider: string | null;
  listen: readonly string[];
  databaseUrl: string | null;
}): void {
  if (config.devSmtpPort === null) return;
  const reject = (problem: string): never => {
    throw new ConfigError(
      `POSTHORN_DEV_SMTP_PORT is set, but ${problem}. Remove POSTHORN_DEV_SMTP_PORT, or run posthorn dev.`,
    );
  };
  if (config.environment === 'production') reject('POSTHORN_ENV is production');
  if (config.provider !== 'sandbox') reject('POSTHORN_PROVIDER is not sandbox');
  if (!config.listen.every(isLoopback)) reject('POSTHORN_LISTEN has addresses of the network');
  const hosts = config.databaseUrl === null ? [] : databaseAddress(config.databaseUrl).hosts;
  if (!hosts.every(({ host }) => host.startsWith('/') || isLoopback(host)))
    reject('POSTHORN_DATABASE_URL is on another machine');
}

/** @throws ConfigError */
function openIdProvider(
  environment: string,
  issuer: string | null,
  clientId: string | null,
  clientSecret: string | null,
) {
  if (issuer === null || clientId === null) return null;
  if (environment === 'production' && !issuer.startsWith('https:'))
    throw new ConfigError('POSTHORN_OIDC_ISSUER is an http address. In production it must be https.');
  return { issuer, clientId, clientSecret };
}

function withScheme({ isHere, ...bucket }: Bucket & { isHere: boolean }, environment: string): Bucket {
  const isPlain = isHere && environment === 'development';
  return isPlain ? { ...bucket, origin: bucket.origin.replace(/^https/, 'http') } : bucket;
}

function readTable<Table extends Record<string, Setting>>(
  table: Table,
  env: EnvironmentVariables,
): Values<Table> {
  const values = Object.entries(table).map(([field, setting]) => [field, readSetting(setting, env)]);
  return Object.fromEntries(values) as Values<Table>;
}

/** Reads one setting. Returns null if the variable is not set and the setting has no default. @throws ConfigError */
export function readSetting(
  { name, reader, requiredWith = '', ...setting }: Setting,
  env: EnvironmentVariables,
): unknown {
  const reject = (shown: string): never => {
    throw new ConfigError(`${name} is ${shown}. It must be ${reader.validValues}.`);
  };
  const text = textOf(env, name) ?? setting.default;
  if (text !== undefined) return reader.read(text, (shown = JSON.stringify(text)) => reject(shown));
  const [other = '', required] = requiredWith.split('=');
  const value = textOf(env, other);
  if (value !== undefined && value === (required ?? value))
    reject(`missing, but ${other} is ${required ?? 'set'}`);
  return null;
}

/** An empty variable counts as unset, as users expect for `NAME= command` and for a line `NAME=` in an env file. */
export function textOf(env: EnvironmentVariables, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/** The host name of this machine, if it is a valid domain name. Machine names may contain other characters, such as an underscore. */
function ownHostname(): string {
  const name = hostname().toLowerCase();
  return read.isDomainName(name) ? name : 'localhost';
}

/** Every variable with its default and meaning, for `posthorn config`. */
export function describeSettings(): string {
  return ALL_SETTINGS.map((setting) => {
    const { name, requiredWith, meaning } = setting;
    const fallback = setting.default ?? setting.without ?? 'none';
    const rule = requiredWith === undefined ? '' : `; required with ${requiredWith}`;
    return `${name}\n    default: ${fallback}${rule}\n    ${meaning}\n`;
  }).join('');
}

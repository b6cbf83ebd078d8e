/**
 * The only reader of the environment. `SETTINGS` is the documentation of every variable: `posthorn config`
 * prints it, and `readConfig` takes defaults from nowhere else.
 */
import { resolve } from 'node:path';
import {
  type Environment,
  list,
  oneOf,
  ownHostname,
  readBaseUrl,
  readDatabaseUrl,
  readDns,
  readDomain,
  readInteger,
  readMetricsToken,
  readPath,
  readRoles,
  readSecret,
  readSes,
  readSmartHost,
  readTls,
  type SesAccount,
  type TlsFiles,
  value,
  wrong,
} from './config-readers.ts';
import type { SmartHostAddress } from '../sending/deliver/smtp/host-address.ts';
import { PLANS, type Plan } from '../model/plans.ts';

const ROLES = ['http', 'smtp', 'worker'] as const;
export type Role = (typeof ROLES)[number];

const PROVIDERS = ['sandbox', 'smtp', 'direct', 'ses'] as const;
type ProviderName = (typeof PROVIDERS)[number];

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const ENVIRONMENTS = ['development', 'production'] as const;

export interface Config {
  /** In development webhooks may also go to this machine, and without TLS. */
  readonly environment: (typeof ENVIRONMENTS)[number];
  /** Absolute path of the data folder. */
  readonly dataDir: string;
  /** Null: the embedded PostgreSQL under the data folder. */
  readonly databaseUrl: string | null;
  /** 0 picks a free port. */
  readonly httpPort: number;
  /** Of the listener for reports and other mail from outside; 0 picks a free one. */
  readonly smtpPort: number;
  /** Of the recipients' servers. */
  readonly mxPort: number;
  /** Absolute path of the operator's shaping table. */
  readonly shaping: string | null;
  /** What STARTTLS shows; null: none is offered. */
  readonly tls: TlsFiles | null;
  /** Without a trailing slash; null: `http://localhost:<port>`. */
  readonly baseUrl: string | null;
  /** What HELO says and MX records point to. */
  readonly hostname: string;
  readonly hostedDomain: string;
  /** `ip:port` of the resolver that is asked and no other; null: those of the system. */
  readonly dns: string | null;
  readonly provider: ProviderName;
  readonly smartHost: SmartHostAddress | null;
  /** Of the provider `ses`; null: none is set. */
  readonly ses: SesAccount | null;
  /** Null: a file in the data folder. */
  readonly secret: string | null;
  /** Requests a second per API key; 0 is no limit. */
  readonly rateLimit: number;
  readonly defaultPlan: Plan;
  /** Addresses or CIDR ranges of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Bearer token that `/metrics` asks for; null: in development it answers this machine, else nobody. */
  readonly metricsToken: string | null;
  readonly logLevel: LogLevel;
  readonly roles: readonly Role[];
}

export { ConfigError } from './config-readers.ts';

interface Setting {
  name: string;
  /** As shown to people. */
  fallback: string;
  meaning: string;
}

const SETTINGS: readonly Setting[] = [
  { name: 'POSTHORN_DATA', fallback: './data', meaning: 'folder for the embedded PostgreSQL and the secret' },
  {
    name: 'POSTHORN_DATABASE_URL',
    fallback: 'embedded PostgreSQL in the data folder',
    meaning: 'postgres:// URL of a PostgreSQL 15 or later; needs POSTHORN_SECRET',
  },
  {
    name: 'POSTHORN_HTTP_PORT',
    fallback: '8025',
    meaning: 'port of the API, or without one of /readyz and /metrics; 0 picks a free one',
  },
  {
    name: 'POSTHORN_SMTP_PORT',
    fallback: '2525',
    meaning:
      'port that takes in bounces and complaints; the outside reaches it at port 25; 0 picks a free one',
  },
  {
    name: 'POSTHORN_BASE_URL',
    fallback: 'http://localhost:<POSTHORN_HTTP_PORT>',
    meaning: 'address under which clients reach the service',
  },
  {
    name: 'POSTHORN_HOSTNAME',
    fallback: "this machine's host name",
    meaning: 'name that EHLO and MX records say',
  },
  {
    name: 'POSTHORN_HOSTED_DOMAIN',
    fallback: 'posthorn.localhost',
    meaning: 'domain from which every project may send',
  },
  {
    name: 'POSTHORN_DNS',
    fallback: "the system's resolvers",
    meaning: 'ip:port of a DNS resolver; when set, only it is asked',
  },
  {
    name: 'POSTHORN_ENV',
    fallback: 'development',
    meaning:
      'development or production; in production mail, webhooks and look-ups of domains go to public addresses only, and webhooks over https',
  },
  {
    name: 'POSTHORN_PROVIDER',
    fallback: 'sandbox',
    meaning:
      "sandbox delivers nothing outside and plays the outcomes; smtp hands all mail to POSTHORN_SMTP_URL; direct delivers to the recipients' servers; ses hands all mail to Amazon SES",
  },
  {
    name: 'POSTHORN_SMTP_URL',
    fallback: 'none; required with POSTHORN_PROVIDER=smtp',
    meaning: 'smart host: smtp://[user:password@]host[:587] (STARTTLS) or smtps://[user:password@]host[:465]',
  },
  {
    name: 'POSTHORN_SES_REGION',
    fallback: 'none; required with POSTHORN_PROVIDER=ses',
    meaning: 'AWS region of Amazon SES, such as eu-central-1',
  },
  {
    name: 'POSTHORN_SES_ACCESS_KEY_ID',
    fallback: 'none; required with POSTHORN_PROVIDER=ses',
    meaning: 'access key of an IAM user that may ses:SendEmail and ses:SendRawEmail',
  },
  {
    name: 'POSTHORN_SES_SECRET_ACCESS_KEY',
    fallback: 'none; required with POSTHORN_PROVIDER=ses',
    meaning: 'its secret access key',
  },
  {
    name: 'POSTHORN_SES_CONFIGURATION_SET',
    fallback: 'none',
    meaning: 'configuration set of SES that all mail is sent with, and whose events go to the topic',
  },
  {
    name: 'POSTHORN_SES_TOPIC_ARN',
    fallback: 'none: no feedback is taken in',
    meaning: 'ARN of the SNS topic whose notifications are believed at /ses/notifications',
  },
  {
    name: 'POSTHORN_SES_ENDPOINT',
    fallback: 'https://email.<region>.amazonaws.com',
    meaning: 'where the API of SES is; when set, certificates of SNS are taken from there too',
  },
  {
    name: 'POSTHORN_MX_PORT',
    fallback: '25',
    meaning: "port of the recipients' servers that direct delivery dials",
  },
  {
    name: 'POSTHORN_SHAPING',
    fallback: 'none',
    meaning:
      'YAML file with limits for destinations, in front of the built-in ones; read again when it changes',
  },
  {
    name: 'POSTHORN_TLS_CERT',
    fallback: 'none: STARTTLS is not offered',
    meaning: 'PEM file with the certificate of POSTHORN_HOSTNAME and its chain; needs POSTHORN_TLS_KEY',
  },
  {
    name: 'POSTHORN_TLS_KEY',
    fallback: 'none',
    meaning: 'PEM file with the private key of POSTHORN_TLS_CERT',
  },
  {
    name: 'POSTHORN_SECRET',
    fallback: 'a file in the data folder',
    meaning:
      'seals private keys in the database; at least 16 characters; required with POSTHORN_DATABASE_URL',
  },
  {
    name: 'POSTHORN_RATE_LIMIT',
    fallback: '100',
    meaning: 'requests a second per API key, with a burst of ten times as many; 0 turns limits off',
  },
  { name: 'POSTHORN_DEFAULT_PLAN', fallback: 'paid', meaning: 'plan of a new project: free or paid' },
  {
    name: 'POSTHORN_TRUSTED_PROXIES',
    fallback: 'none',
    meaning: 'addresses or CIDR ranges, separated by commas, whose X-Forwarded-For is believed',
  },
  {
    name: 'POSTHORN_METRICS_TOKEN',
    fallback: 'none: in development /metrics answers this machine, in production nobody',
    meaning: 'bearer token that /metrics asks for; at least 16 characters',
  },
  {
    name: 'POSTHORN_LOG_LEVEL',
    fallback: 'info',
    meaning: `the least that is logged: ${LOG_LEVELS.join(', ')}`,
  },
  {
    name: 'POSTHORN_ROLES',
    fallback: ROLES.join(','),
    meaning: `what this instance runs, separated by commas: ${ROLES.join(', ')}`,
  },
];

export const SETTING_NAMES: readonly string[] = SETTINGS.map(({ name }) => name);

/** @throws ConfigError */
export function readConfig(env: Environment): Config {
  const databaseUrl = readDatabaseUrl(env);
  const provider = oneOf(env, 'POSTHORN_PROVIDER', PROVIDERS, 'sandbox');
  const smtpUrl = value(env, 'POSTHORN_SMTP_URL');
  if (provider === 'smtp' && smtpUrl === null) {
    throw wrong('POSTHORN_SMTP_URL', 'missing', 'smtp://host:25, because POSTHORN_PROVIDER is smtp');
  }
  return {
    environment: oneOf(env, 'POSTHORN_ENV', ENVIRONMENTS, 'development'),
    dns: readDns(env),
    dataDir: resolve(value(env, 'POSTHORN_DATA') ?? './data'),
    databaseUrl,
    httpPort: readInteger(env, 'POSTHORN_HTTP_PORT', 8025, 0, 65_535),
    smtpPort: readInteger(env, 'POSTHORN_SMTP_PORT', 2525, 0, 65_535),
    mxPort: readInteger(env, 'POSTHORN_MX_PORT', 25, 1, 65_535),
    shaping: readPath(env, 'POSTHORN_SHAPING'),
    tls: readTls(env),
    baseUrl: readBaseUrl(env),
    hostname: readDomain(env, 'POSTHORN_HOSTNAME', ownHostname()),
    hostedDomain: readDomain(env, 'POSTHORN_HOSTED_DOMAIN', 'posthorn.localhost'),
    provider,
    smartHost: smtpUrl === null ? null : readSmartHost(smtpUrl),
    ses: readSes(env, provider === 'ses'),
    secret: readSecret(env, databaseUrl !== null),
    rateLimit: readInteger(env, 'POSTHORN_RATE_LIMIT', 100, 0, 1_000_000),
    defaultPlan: oneOf(env, 'POSTHORN_DEFAULT_PLAN', PLANS, 'paid'),
    trustedProxies: list(env, 'POSTHORN_TRUSTED_PROXIES'),
    metricsToken: readMetricsToken(env),
    logLevel: oneOf(env, 'POSTHORN_LOG_LEVEL', LOG_LEVELS, 'info'),
    roles: readRoles(env, ROLES),
  };
}

/** Every variable with its default and meaning, for `posthorn config`. */
export function describeSettings(): string {
  return SETTINGS.map(
    (setting) => `${setting.name}\n    default: ${setting.fallback}\n    ${setting.meaning}\n`,
  ).join('');
}

/**
 * The only reader of the environment. `SETTINGS` is the documentation of every variable: `posthorn config`
 * prints it, and `readConfig` takes defaults from nowhere else.
 */
import { isIP, isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { SmartHostAddress } from './mail/deliver/relay/smart-host.ts';
import { PLANS, type Plan } from './model/plans.ts';

const ROLES = ['http', 'worker'] as const;
export type Role = (typeof ROLES)[number];

const PROVIDERS = ['sandbox', 'smtp'] as const;
type ProviderName = (typeof PROVIDERS)[number];

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
  /** Without a trailing slash; null: `http://localhost:<port>`. */
  readonly baseUrl: string | null;
  /** What HELO says and MX records point to. */
  readonly hostname: string;
  readonly hostedDomain: string;
  /** `ip:port` of the resolver that is asked and no other; null: those of the system. */
  readonly dns: string | null;
  readonly provider: ProviderName;
  readonly smartHost: SmartHostAddress | null;
  /** Null: a file in the data folder. */
  readonly secret: string | null;
  /** Requests a second per API key; 0 is no limit. */
  readonly rateLimit: number;
  readonly defaultPlan: Plan;
  /** Addresses or CIDR ranges of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly roles: readonly Role[];
}

/** A configuration that cannot be run with. The message names the variable, what is wrong and what would be right. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Setting {
  name: string;
  /** As shown to people. */
  fallback: string;
  meaning: string;
}

const SETTINGS = [
  { name: 'POSTHORN_DATA', fallback: './data', meaning: 'folder for the embedded PostgreSQL and the secret' },
  {
    name: 'POSTHORN_DATABASE_URL',
    fallback: 'embedded PostgreSQL in the data folder',
    meaning: 'postgres:// URL of a PostgreSQL 15 or later; needs POSTHORN_SECRET',
  },
  { name: 'POSTHORN_HTTP_PORT', fallback: '8025', meaning: 'port of the API; 0 picks a free one' },
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
    meaning: 'development or production; in development webhooks may go to this machine, and over http',
  },
  {
    name: 'POSTHORN_PROVIDER',
    fallback: 'sandbox',
    meaning:
      'sandbox delivers nothing outside and plays the outcomes; smtp hands all mail to POSTHORN_SMTP_URL',
  },
  {
    name: 'POSTHORN_SMTP_URL',
    fallback: 'none; required with POSTHORN_PROVIDER=smtp',
    meaning: 'smart host: smtp://[user:password@]host[:587] (STARTTLS) or smtps://[user:password@]host[:465]',
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
    name: 'POSTHORN_ROLES',
    fallback: ROLES.join(','),
    meaning: `what this instance runs, separated by commas: ${ROLES.join(', ')}`,
  },
] as const satisfies readonly Setting[];

type SettingName = (typeof SETTINGS)[number]['name'];

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
    baseUrl: readBaseUrl(env),
    hostname: readDomain(env, 'POSTHORN_HOSTNAME', ownHostname()),
    hostedDomain: readDomain(env, 'POSTHORN_HOSTED_DOMAIN', 'posthorn.localhost'),
    provider,
    smartHost: smtpUrl === null ? null : readSmartHost(smtpUrl),
    secret: readSecret(env, databaseUrl !== null),
    rateLimit: readInteger(env, 'POSTHORN_RATE_LIMIT', 100, 0, 1_000_000),
    defaultPlan: oneOf(env, 'POSTHORN_DEFAULT_PLAN', PLANS, 'paid'),
    trustedProxies: list(env, 'POSTHORN_TRUSTED_PROXIES'),
    roles: readRoles(env),
  };
}

/** Every variable with its default and meaning, for `posthorn config`. */
export function describeSettings(): string {
  return SETTINGS.map(
    (setting) => `${setting.name}\n    default: ${setting.fallback}\n    ${setting.meaning}\n`,
  ).join('');
}

/** An empty variable is an absent one: that is what `NAME= command` and most env files mean by it. */
function value(env: Environment, name: SettingName): string | null {
  const text = env[name]?.trim();
  return text === undefined || text === '' ? null : text;
}

function list(env: Environment, name: SettingName): string[] {
  return (value(env, name) ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function wrong(name: SettingName, found: string, right: string): ConfigError {
  return new ConfigError(`${name} is ${found}. It must be ${right}.`);
}

function oneOf<const T extends string>(
  env: Environment,
  name: SettingName,
  allowed: readonly T[],
  fallback: T,
): T {
  const text = value(env, name) ?? fallback;
  const found = allowed.find((item) => item === text);
  if (found === undefined) throw wrong(name, JSON.stringify(text), allowed.join(' or '));
  return found;
}

function readInteger(
  env: Environment,
  name: SettingName,
  fallback: number,
  min: number,
  max: number,
): number {
  const text = value(env, name) ?? String(fallback);
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max) {
    throw wrong(name, JSON.stringify(text), `a whole number from ${min} to ${max}`);
  }
  return number;
}

function readRoles(env: Environment): Role[] {
  const names = list(env, 'POSTHORN_ROLES');
  for (const name of names) {
    if (!(ROLES as readonly string[]).includes(name)) {
      throw wrong(
        'POSTHORN_ROLES',
        JSON.stringify(name),
        `a list of ${ROLES.join(', ')}, separated by commas`,
      );
    }
  }
  return names.length === 0 ? [...ROLES] : ROLES.filter((role) => names.includes(role));
}

const DOMAIN = /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/;

/** Machine names may hold what domain names may not, such as an underscore. */
function ownHostname(): string {
  const name = hostname().toLowerCase();
  return DOMAIN.test(name) && name.length <= 253 ? name : 'localhost';
}

function readDomain(env: Environment, name: SettingName, fallback: string): string {
  const text = (value(env, name) ?? fallback).toLowerCase();
  if (text.length > 253 || !DOMAIN.test(text)) {
    throw wrong(name, JSON.stringify(text), 'a domain name such as mail.example.com');
  }
  return text;
}

function readDns(env: Environment): string | null {
  const text = value(env, 'POSTHORN_DNS');
  if (text === null) return null;
  const [, address = '', port = '53'] = /^(?:\[([^\]]+)\]|([^:]+))?(?::(\d+))?$/
    .exec(text)
    ?.filter((part) => part !== undefined) ?? [''];
  if (isIP(address) === 0 || Number(port) < 1 || Number(port) > 65_535) {
    throw wrong(
      'POSTHORN_DNS',
      JSON.stringify(text),
      'an address and a port such as 127.0.0.1:53 or [::1]:53',
    );
  }
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
}

function readSecret(env: Environment, required: boolean): string | null {
  const secret = value(env, 'POSTHORN_SECRET');
  const right = 'at least 16 characters; openssl rand -base64 32 makes a good one';
  if (secret === null && required)
    throw wrong('POSTHORN_SECRET', 'missing, and POSTHORN_DATABASE_URL is set', right);
  if (secret !== null && secret.length < 16)
    throw wrong('POSTHORN_SECRET', `${secret.length} characters long`, right);
  return secret;
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function readDatabaseUrl(env: Environment): string | null {
  const text = value(env, 'POSTHORN_DATABASE_URL');
  if (text === null) return null;
  const url = parseUrl(text);
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    // The text is not repeated: it may hold a password.
    throw wrong(
      'POSTHORN_DATABASE_URL',
      'not a PostgreSQL URL',
      'postgres://user:password@host:5432/database',
    );
  }
  return text;
}

function readBaseUrl(env: Environment): string | null {
  const text = value(env, 'POSTHORN_BASE_URL');
  if (text === null) return null;
  const url = parseUrl(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '') {
    throw wrong(
      'POSTHORN_BASE_URL',
      JSON.stringify(text),
      'an http or https address such as https://mail.example.com',
    );
  }
  return url.href.replace(/\/+$/, '');
}

function readSmartHost(text: string): SmartHostAddress {
  const url = parseUrl(text);
  // The text is not repeated: it may hold a password.
  const right = 'smtp://[user:password@]host[:port] or smtps://[user:password@]host[:port]';
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') {
    throw wrong('POSTHORN_SMTP_URL', 'not an SMTP URL', right);
  }
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.hash !== '') {
    throw wrong('POSTHORN_SMTP_URL', 'followed by a path or a query', right);
  }
  if ((url.username === '') !== (url.password === '')) {
    throw wrong('POSTHORN_SMTP_URL', 'with only one of user and password', right);
  }
  const implicitTls = url.protocol === 'smtps:';
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (implicitTls ? 465 : 587) : Number(url.port),
    implicitTls,
    username: url.username === '' ? null : decoded(url.username, right),
    password: url.password === '' ? null : decoded(url.password, right),
  };
}

function decoded(text: string, right: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong('POSTHORN_SMTP_URL', 'with a % that begins no percent-encoding (write %25 for it)', right);
  }
}

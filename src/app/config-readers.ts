/** How the values of the environment are read: each reader gives a value or says what would be right. */
import { readFileSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { SmartHostAddress } from '../sending/deliver/smtp/host-address.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A configuration that cannot be run with. The message names the variable, what is wrong and what would be right. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** An empty variable is an absent one: that is what `NAME= command` and most env files mean by it. */
export function value(env: Environment, name: string): string | null {
  const text = env[name]?.trim();
  return text === undefined || text === '' ? null : text;
}

export function list(env: Environment, name: string): string[] {
  return (value(env, name) ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

export function wrong(name: string, found: string, right: string): ConfigError {
  return new ConfigError(`${name} is ${found}. It must be ${right}.`);
}

export function oneOf<const T extends string>(
  env: Environment,
  name: string,
  allowed: readonly T[],
  fallback: T,
): T {
  const text = value(env, name) ?? fallback;
  const found = allowed.find((item) => item === text);
  if (found === undefined) throw wrong(name, JSON.stringify(text), allowed.join(' or '));
  return found;
}

export function readInteger(
  env: Environment,
  name: string,
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

export function readRoles<const T extends string>(env: Environment, roles: readonly T[]): T[] {
  const names = list(env, 'POSTHORN_ROLES');
  for (const name of names) {
    if (!(roles as readonly string[]).includes(name)) {
      throw wrong(
        'POSTHORN_ROLES',
        JSON.stringify(name),
        `a list of ${roles.join(', ')}, separated by commas`,
      );
    }
  }
  return names.length === 0 ? [...roles] : roles.filter((role) => names.includes(role));
}

const DOMAIN = /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/;

/** Machine names may hold what domain names may not, such as an underscore. */
export function ownHostname(): string {
  const name = hostname().toLowerCase();
  return DOMAIN.test(name) && name.length <= 253 ? name : 'localhost';
}

export function readDomain(env: Environment, name: string, fallback: string): string {
  const text = (value(env, name) ?? fallback).toLowerCase();
  if (text.length > 253 || !DOMAIN.test(text)) {
    throw wrong(name, JSON.stringify(text), 'a domain name such as mail.example.com');
  }
  return text;
}

export function readDns(env: Environment): string | null {
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

export function readSecret(env: Environment, required: boolean): string | null {
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

export function readDatabaseUrl(env: Environment): string | null {
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

export function readBaseUrl(env: Environment): string | null {
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

export function readSmartHost(text: string): SmartHostAddress {
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

/** An absolute path to a file that can be read, or null. */
export function readPath(env: Environment, name: string): string | null {
  const text = value(env, name);
  if (text === null) return null;
  const path = resolve(text);
  try {
    readFileSync(path);
  } catch (error) {
    throw wrong(
      name,
      `${JSON.stringify(text)} (${(error as NodeJS.ErrnoException).code})`,
      'a file that can be read',
    );
  }
  return path;
}

export interface TlsFiles {
  /** Absolute path of a PEM file: the certificate, followed by its chain. */
  certPath: string;
  /** Absolute path of a PEM file. */
  keyPath: string;
}

export function readTls(env: Environment): TlsFiles | null {
  const certPath = readPath(env, 'POSTHORN_TLS_CERT');
  const keyPath = readPath(env, 'POSTHORN_TLS_KEY');
  if (certPath === null && keyPath === null) return null;
  if (certPath === null)
    throw wrong('POSTHORN_TLS_CERT', 'missing, and POSTHORN_TLS_KEY is set', 'its certificate');
  if (keyPath === null)
    throw wrong('POSTHORN_TLS_KEY', 'missing, and POSTHORN_TLS_CERT is set', 'its private key');
  return { certPath, keyPath };
}

/** How Amazon SES is reached. */
export interface SesAccount {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  configurationSet: string | null;
  /** Of the SNS topic whose notifications are believed; null: none are. */
  topicArn: string | null;
  /** Origin of another place than Amazon's own; null: Amazon's. */
  endpoint: string | null;
}

export function readSes(env: Environment, required: boolean): SesAccount | null {
  const because = 'missing, and POSTHORN_PROVIDER is ses';
  const region = value(env, 'POSTHORN_SES_REGION');
  const accessKeyId = value(env, 'POSTHORN_SES_ACCESS_KEY_ID');
  const secretAccessKey = value(env, 'POSTHORN_SES_SECRET_ACCESS_KEY');
  if (!required) return null;
  if (region === null) throw wrong('POSTHORN_SES_REGION', because, 'an AWS region such as eu-central-1');
  if (!/^[a-z]{2}(-[a-z]+)+-\d$/.test(region))
    throw wrong('POSTHORN_SES_REGION', JSON.stringify(region), 'an AWS region such as eu-central-1');
  if (accessKeyId === null) throw wrong('POSTHORN_SES_ACCESS_KEY_ID', because, 'the id of an access key');
  if (secretAccessKey === null)
    throw wrong('POSTHORN_SES_SECRET_ACCESS_KEY', because, 'the secret of the access key');
  return {
    region,
    accessKeyId,
    secretAccessKey,
    configurationSet: value(env, 'POSTHORN_SES_CONFIGURATION_SET'),
    topicArn: readTopicArn(env),
    endpoint: readOrigin(env, 'POSTHORN_SES_ENDPOINT'),
  };
}

/** Its region says where the certificates of SNS are. */
function readTopicArn(env: Environment): string | null {
  const arn = value(env, 'POSTHORN_SES_TOPIC_ARN');
  if (arn !== null && !/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}$/.test(arn))
    throw wrong(
      'POSTHORN_SES_TOPIC_ARN',
      JSON.stringify(arn),
      'the ARN of a topic such as arn:aws:sns:eu-central-1:111122223333:posthorn-ses',
    );
  return arn;
}

function readOrigin(env: Environment, name: string): string | null {
  const text = value(env, name);
  if (text === null) return null;
  const url = parseUrl(text);
  if (
    url === null ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.pathname !== '/' ||
    url.search !== ''
  )
    throw wrong(name, JSON.stringify(text), 'an http or https origin without a path');
  return url.origin;
}

export function readMetricsToken(env: Environment): string | null {
  const token = value(env, 'POSTHORN_METRICS_TOKEN');
  // What a header cannot carry would lock everybody out.
  if (token !== null && !/^[!-~]{16,}$/.test(token))
    throw wrong(
      'POSTHORN_METRICS_TOKEN',
      'too short, or beyond printable ASCII',
      'at least 16 printable characters',
    );
  return token;
}

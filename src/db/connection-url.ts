/**
 * Reads the parts of a postgres:// URL that node-postgres treats differently from libpq: multiple hosts, `target_session_attrs` and
 * `sslmode` (PostgreSQL 18, sections 32.1.1.2, 32.1.2 and 32.19).
 */
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

/** The message continues a sentence about the URL, such as "with sslmode=prefer, which ...". It never contains a password. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
}

export interface Host {
  /** A host name, an IP address without brackets, or the directory of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

export interface DatabaseAddress {
  readonly hosts: readonly Host[];
  /** The URL for node-postgres, with only the first host and without the parameters that this file evaluates. */
  readonly connectionString: string;
  /** Whether servers that do not accept writes are skipped. */
  readonly needsWrites: boolean;
  /** False: no TLS. Undefined: the URL has no TLS parameter, so node-postgres decides. */
  readonly tls: ConnectionOptions | false | undefined;
}

const DEFAULT_PORT = 5432;
/** Groups: scheme and credentials, the hosts, and the rest. */
const PARTS = /^([a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/is;
const TLS_PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'] as const;
const OWN_PARAMETERS = ['target_session_attrs', ...TLS_PARAMETERS] as const;

/** A placeholder for the list of hosts, because `URL` can parse only one host. */
const ANY_HOST = 'hosts.invalid';

/**
 * Applies a change to a URL that may name several hosts, which `URL` does not support.
 * @returns the changed URL with its original hosts
 * @throws DatabaseUrlError
 */
export function changeUrl(text: string, change: (url: URL) => void): string {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(text) ?? refuse('not a URL');
  const url = URL.parse(`${before}${hosts === '' ? '' : ANY_HOST}${after}`) ?? refuse('not a URL');
  change(url);
  return url.href.replace(ANY_HOST, () => hosts);
}

const addresses = new Map<string, DatabaseAddress>();

/** @throws DatabaseUrlError */
export function databaseAddress(text: string): DatabaseAddress {
  const known = addresses.get(text);
  if (known !== undefined) return known;
  const address = readAddress(text);
  addresses.set(text, address);
  return address;
}

function readAddress(text: string): DatabaseAddress {
  const [, before = '', hostList = '', after = ''] = PARTS.exec(text) ?? refuse('not a PostgreSQL URL');
  if (!/^postgres(?:ql)?:/i.test(before)) refuse('not a PostgreSQL URL');
  const items = hostList.split(',');
  const url = URL.parse(`${before}${items[0]}${after}`) ?? refuse('not a PostgreSQL URL');
  const parameters = url.searchParams;
  const socketFolder = parameters.get('host');
  if (items.length > 1 && (socketFolder !== null || parameters.has('port')))
    refuse('with several hosts and the parameter host or port (name each host once, as host:port)');
  if (socketFolder?.includes(',') === true)
    refuse('with several hosts in the parameter host (write them before the name of the database)');
  const hosts =
    socketFolder === null
      ? items.map(readHost)
      : [{ host: socketFolder, port: Number(parameters.get('port') ?? DEFAULT_PORT) }];
  const needsWrites = readSessionAttributes(parameters.get('target_session_attrs'));
  const isSocket = hosts.every(({ host }) => host.startsWith('/'));
  const tls = isSocket ? (hasOwn(parameters) ? false : undefined) : readTls(parameters);
  const isPlain = items.length === 1 && !hasOwn(parameters);
  for (const name of OWN_PARAMETERS) parameters.delete(name);
  return { hosts, connectionString: isPlain ? text : url.href, needsWrites, tls };
}

function hasOwn(parameters: URLSearchParams): boolean {
  return OWN_PARAMETERS.some((name) => parameters.has(name));
}

function readHost(item: string): Host {
  const [, bracketed, plain = '', port] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(item) ??
    refuse('with a host that cannot be read');
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))
    refuse('with a port outside 1 to 65535');
  const host = bracketed ?? decoded(plain);
  return { host: host === '' ? 'localhost' : host, port: Number(port ?? DEFAULT_PORT) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse('with a % that begins no percent-encoding (write %25 for it)');
  }
}

function readSessionAttributes(value: string | null): boolean {
  if (value === null || value === 'any') return false;
  if (value === 'read-write') return true;
  return refuse(`with target_session_attrs=${value} (Posthorn supports read-write and any)`);
}

/** For `verify-ca`, which checks the certificate chain but not the host name. */
const ANY_NAME = { checkServerIdentity: () => undefined };

function readTls(parameters: URLSearchParams): ConnectionOptions | false | undefined {
  const rootFile = parameters.get('sslrootcert');
  const mode = parameters.get('sslmode') ?? (rootFile === null ? null : 'verify-full');
  if (mode === null) return undefined;
  if (mode === 'disable') return false;
  const client = {
    ...keyPart('cert', parameters.get('sslcert')),
    ...keyPart('key', parameters.get('sslkey')),
  };
  const checked = () => ({ rejectUnauthorized: true, ca: rootsOf(rootFile, mode), ...client });
  switch (mode) {
    case 'require':
      // With a root certificate, libpq checks the certificate chain in this mode too.
      return rootFile === null ? { rejectUnauthorized: false, ...client } : { ...checked(), ...ANY_NAME };
    case 'no-verify':
      return { rejectUnauthorized: false, ...client };
    case 'verify-ca':
      return { ...checked(), ...ANY_NAME };
    case 'verify-full':
      return checked();
    case 'allow':
    case 'prefer':
      return refuse(
        `with sslmode=${mode}, with which an attacker in the network could turn TLS off (use verify-full, verify-ca, require or disable)`,
      );
    default:
      return refuse(`with sslmode=${mode} (Posthorn supports disable, require, verify-ca and verify-full)`);
  }
}

function rootsOf(file: string | null, mode: string): string | string[] {
  if (file === null)
    return refuse(
      `with sslmode=${mode} and no sslrootcert (set it to the PEM file of the certificate authority, or to system)`,
    );
  if (file !== 'system') return readPem('sslrootcert', file);
  // A public authority issues a certificate to every owner of a domain, so only the host name tells servers apart.
  if (mode !== 'verify-full') return refuse(`with sslrootcert=system, which needs sslmode=verify-full`);
  // Loaded on demand, because the supervisor also parses the URL and must stay small.
  return process.getBuiltinModule('node:tls').getCACertificates('system');
}

function keyPart(part: 'cert' | 'key', file: string | null): Record<string, string> {
  return file === null ? {} : { [part]: readPem(`ssl${part}`, file) };
}

function readPem(parameter: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return refuse(
      `with ${parameter}=${file}, which cannot be read (${(error as NodeJS.ErrnoException).code})`,
    );
  }
}

function refuse(why: string): never {
  throw new DatabaseUrlError(why);
}

/** Readers of environment values. */
import { readFileSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import type { Bucket } from '../blobs/object-bucket.ts';
import { databaseAddress, DatabaseUrlError } from '../db/connection-url.ts';
import type { ClamdAddress } from '../file-links/scan/clamd.ts';
import { isNetwork } from '../net/networks.ts';
import { type ListKind, type ListSettings, parseLists } from '../receiving/blocklists/list-settings.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import type { SmartHostAddress } from '../sending/deliver/smtp/host-address.ts';

/** The service cannot run with this configuration. The message names the variable, what is wrong and what is valid. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export interface Reader<Value> {
  /** Says which values are valid. Error messages put it after "It must be". */
  readonly validValues: string;
  /**
   * @param text not empty
   * @param reject throws a ConfigError that quotes the text. If the text may contain a password, pass the part to quote as `shown`
   */
  read(text: string, reject: (shown?: string) => never): Value;
}

function matching(pattern: RegExp, validValues: string, shown?: string): Reader<string> {
  return { validValues, read: (text, reject) => (pattern.test(text) ? text : reject(shown)) };
}

export const absolutePath: Reader<string> = { validValues: 'a path', read: (text) => resolve(text) };

/** Accepts any text. @param validValues the valid values, for the message if the setting is missing */
export const line = (validValues: string): Reader<string> => ({ validValues, read: (text) => text });

const itemsOf = (text: string): string[] => text.split(',').flatMap((item) => item.trim() || []);

export const list: Reader<readonly string[]> = { validValues: 'a list, separated by commas', read: itemsOf };

export function oneOf<const T extends string>(allowed: readonly T[]): Reader<T> {
  return {
    validValues: allowed.join(' or '),
    read: (text, reject) => allowed.find((item) => item === text) ?? reject(),
  };
}

/** Returns the items in the order of `allowed`. A list that contains only commas selects all items. */
export function someOf<const T extends string>(allowed: readonly T[]): Reader<readonly T[]> {
  return {
    validValues: `a list of ${allowed.join(', ')}, separated by commas`,
    read(text, reject) {
      const items = itemsOf(text);
      for (const item of items) if (!allowed.some((one) => one === item)) reject(JSON.stringify(item));
      return items.length === 0 ? allowed : allowed.filter((item) => items.includes(item));
    },
  };
}

export function wholeNumber(min: number, max: number): Reader<number> {
  return {
    validValues: `a whole number from ${min} to ${max}`,
    read: (text, reject) =>
      /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : reject(),
  };
}

/** @param text in lower case */
export function isDomainName(text: string): boolean {
  return text.length <= 253 && /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/.test(text);
}

/** Returns the name in lower case. */
export const domainName: Reader<string> = {
  validValues: 'a domain name such as mail.example.com',
  read(text, reject) {
    const name = text.toLowerCase();
    return isDomainName(name) ? name : reject(JSON.stringify(name));
  },
};

/** Returns the names in lower case. */
export const hostNames: Reader<readonly string[]> = {
  validValues: 'a list of host names, separated by commas, such as mx2.example.com',
  read: (text, reject) =>
    itemsOf(text.toLowerCase()).map((name) => (isDomainName(name) ? name : reject(JSON.stringify(name)))),
};

/** Returns the addresses without brackets. */
export const ipAddresses: Reader<readonly string[]> = {
  validValues:
    'IP addresses of this machine without a port, separated by commas, such as 127.0.0.1,::1; :: is all of them',
  read(text, reject) {
    const addresses = itemsOf(text).map((item) => item.replace(/^\[(.*)\]$/, '$1'));
    for (const address of addresses) if (isIP(address) === 0) reject(JSON.stringify(address));
    return addresses.length === 0 ? reject() : addresses;
  },
};

/** Returns the networks as `Networks` expects them. */
export const networks: Reader<readonly string[]> = {
  validValues: 'IP addresses or CIDR ranges, separated by commas, such as 192.0.2.7,10.0.0.0/8',
  read(text, reject) {
    const items = itemsOf(text);
    for (const item of items) if (!isNetwork(item)) reject(JSON.stringify(item));
    return items.length === 0 ? reject() : items;
  },
};

/** Returns names in lower case, or an empty list for `none`. One of the names may be `default`. */
export const arcSealers: Reader<readonly string[]> = {
  validValues: 'domains, separated by commas, where default means the list in docs/operate/spam.md; or none',
  read(text, reject) {
    if (text.toLowerCase() === 'none') return [];
    const items = itemsOf(text.toLowerCase());
    for (const item of items) if (!isDomainName(item)) reject(JSON.stringify(item));
    return items.length === 0 ? reject() : items;
  },
};

export const blocklists = (kind: ListKind): Reader<readonly ListSettings[]> => ({
  validValues:
    'a list of zone=answers:points, separated by commas, such as list.example=127.0.0.2:1.5; see docs/operate/spam.md',
  read(text, reject) {
    const lists = parseLists(kind, text);
    return 'error' in lists ? reject(lists.error) : lists;
  },
});

/** The ports for mail, as `POSTHORN_PROXY_PROTOCOL` names them. */
export const MAIL_DOORS = ['smtp', 'submission', 'submissions', 'imap', 'imaps', 'pop3', 'pop3s'] as const;
const DOORS: readonly string[] = [...MAIL_DOORS, 'all'];

/** Returns a list of `name=network`, where each name is one of `MAIL_DOORS`, or `all`. */
export const networksOfDoors: Reader<readonly string[]> = {
  validValues: `a list of name=network, separated by commas, such as smtp=10.0.0.0/8,imaps=10.0.0.0/8; a name is ${DOORS.join(', ')}`,
  read(text, reject) {
    const items = itemsOf(text);
    for (const item of items) {
      const [door = '', network = '', ...more] = item.split('=');
      if (!DOORS.includes(door) || !isNetwork(network) || more.length > 0) reject(JSON.stringify(item));
    }
    return items.length === 0 ? reject() : items;
  },
};

/** Returns `ip:port`, with brackets around an IPv6 address. */
export const dnsServer: Reader<string> = {
  validValues: 'an address and a port such as 127.0.0.1:53 or [::1]:53',
  read(text, reject) {
    const [, bracketed, plain = '', port = '53'] =
      /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? reject();
    const address = bracketed ?? plain;
    if (isIP(address) === 0 || Number(port) < 1 || Number(port) > 65_535) reject();
    return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
  },
};

/** A path on this machine, or a host and a port. */
export const clamdAddress: Reader<ClamdAddress> = {
  validValues:
    'the path of a socket such as /run/clamav/clamd.ctl, or a host and a port such as localhost:3310',
  read(text, reject) {
    if (text.startsWith('/')) return { path: text };
    const [, bracketed, plain = '', digits] = /^(?:\[([^\]]+)\]|([^:/]+)):(\d{1,5})$/.exec(text) ?? reject();
    const host = (bracketed ?? plain).toLowerCase();
    const port = Number(digits);
    return (isIP(host) !== 0 || isDomainName(host)) && port >= 1 && port <= 65_535
      ? { host, port }
      : reject();
  },
};

/** Returns the address in normal form. */
export const mailAddress: Reader<string> = {
  validValues: 'an address such as ops@acme.example',
  read(text, reject) {
    const parsed = parseMailbox(text);
    return 'error' in parsed || parsed.displayName !== null ? reject() : parsed.address;
  },
};

/** Returns a URI for the field `Contact` of `security.txt` (RFC 9116, section 2.5.3). */
export const contact: Reader<string> = {
  validValues: 'an address such as security@acme.example, or the https address of a page',
  read(text, reject) {
    if (text.startsWith('https:')) return (parseUrl(text, 'https:') ?? reject()).href;
    const address = mailAddress.read(text.replace(/^mailto:/i, ''), reject);
    return `mailto:${encodeURI(address).replaceAll(/[?#]/g, encodeURIComponent)}`;
  },
};

export const secret: Reader<string> = {
  validValues: 'at least 16 characters; generate one with openssl rand -base64 32',
  read: (text, reject) => (text.length < 16 ? reject(`${text.length} characters long`) : text),
};

/** Rejects characters that an HTTP header cannot contain: no client could send a token with such a character. */
export const bearerToken = matching(
  /^[!-~]{16,}$/,
  'at least 16 printable characters',
  'too short, or not printable ASCII',
);

function parseUrl(text: string, ...protocols: string[]): URL | null {
  const url = URL.parse(text);
  return url !== null && protocols.includes(url.protocol) ? url : null;
}

export const databaseUrl: Reader<string> = {
  validValues: 'postgres://user:password@host:5432/database; separate several hosts with commas',
  read(text, reject) {
    try {
      databaseAddress(text);
      return text;
    } catch (error) {
      return reject(error instanceof DatabaseUrlError ? error.message : 'not a PostgreSQL URL');
    }
  },
};

/** Returns the address without a trailing slash. */
export const httpAddress: Reader<string> = {
  validValues: 'an http or https address such as https://mail.example.com',
  read(text, reject) {
    const url = parseUrl(text, 'http:', 'https:') ?? reject();
    return url.search === '' && url.hash === '' ? url.href.replace(/\/+$/, '') : reject();
  },
};

const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';

/** Returns the address of the directory. Null if ACME is off. */
export const acmeDirectory: Reader<string | null> = {
  validValues: 'on, off, or the https address of an ACME directory',
  read(text, reject) {
    if (text === 'on') return LETS_ENCRYPT;
    if (text === 'off') return null;
    return (parseUrl(text, 'https:') ?? reject()).href;
  },
};

/**
 * Returns the text unchanged, because every character must equal the issuer that the provider states (OpenID Connect Discovery 1.0,
 * section 4.3).
 */
export const issuer: Reader<string> = {
  validValues: 'an http or https address without query and fragment, such as https://accounts.acme.example',
  read(text, reject) {
    const url = URL.parse(text);
    const isRight =
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      url.search === '' &&
      url.hash === '' &&
      url.username === '';
    return isRight ? text : reject();
  },
};

export const httpOrigin: Reader<string> = {
  validValues: 'an http or https origin without a path',
  read(text, reject) {
    const url = parseUrl(text, 'http:', 'https:') ?? reject();
    return url.pathname === '/' && url.search === '' ? url.origin : reject();
  },
};

export const smartHostUrl: Reader<SmartHostAddress> = {
  validValues: 'smtp://[user:password@]host[:port] or smtps://[user:password@]host[:port]',
  read(text, reject) {
    const url = parseUrl(text, 'smtp:', 'smtps:') ?? reject('not an SMTP URL');
    if (url.hostname === '') reject('not an SMTP URL');
    if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '')
      reject('followed by a path or a query');
    if ((url.username === '') !== (url.password === '')) reject('with only one of user and password');
    const decoded = (part: string): string | null => {
      try {
        return part === '' ? null : decodeURIComponent(part);
      } catch {
        return reject('with a % that is not part of a percent-encoding (write %25 for it)');
      }
    };
    const implicitTls = url.protocol === 'smtps:';
    return {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (implicitTls ? 465 : 587) : Number(url.port),
      implicitTls,
      username: decoded(url.username),
      password: decoded(url.password),
    };
  },
};

/** Hosts that may be reached over http in development, because the traffic does not leave this machine. */
const THIS_MACHINE = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;
/** Matches a host such as `s3.eu-central-1.amazonaws.com` and captures the region. */
const AWS_S3 = /^s3[.-]([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/;

/** Returns an https origin. If `isHere` is true, the bucket is on this machine, and `readConfig` uses http in development. */
export const bucketUrl: Reader<Bucket & { isHere: boolean }> = {
  validValues: 's3://key:secret@host[:port]/bucket, with ?region= if the service needs one',
  read(text, reject) {
    const url = parseUrl(text, 's3:') ?? reject('not an S3 URL');
    const decoded = (part: string): string => {
      try {
        return decodeURIComponent(part);
      } catch {
        return reject('with a % that is not part of a percent-encoding (write %25 for it)');
      }
    };
    const bucket = /^\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/?$/.exec(url.pathname)?.[1];
    if (url.hostname === '' || url.hash !== '') reject('not an S3 URL');
    if (url.username === '' || url.password === '')
      reject('without key or secret (write %2F for a / in them)');
    if (bucket === undefined) return reject('without a valid bucket name, or with a path after it');
    const region = url.searchParams.get('region') ?? AWS_S3.exec(url.hostname)?.[1] ?? 'us-east-1';
    if ([...url.searchParams.keys()].some((name) => name !== 'region') || !/^[a-z0-9-]{1,40}$/.test(region))
      reject('followed by something other than ?region=');
    return {
      origin: `https://${url.host}`,
      bucket,
      region,
      accessKeyId: decoded(url.username),
      secretAccessKey: decoded(url.password),
      isHere: THIS_MACHINE.test(url.hostname),
    };
  },
};

/** Returns the absolute path. */
export const readableFile: Reader<string> = {
  validValues: 'a file that can be read',
  read(text, reject) {
    try {
      readFileSync(text);
    } catch (error) {
      reject(`${JSON.stringify(text)} (${(error as NodeJS.ErrnoException).code})`);
    }
    return resolve(text);
  },
};

export const awsRegion = matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'an AWS region such as eu-central-1');

/** Check the region in the ARN, because it becomes part of the host name from which SNS certificates are fetched. */
export const topicArn = matching(
  /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}$/,
  'the ARN of a topic such as arn:aws:sns:eu-central-1:111122223333:posthorn-ses',
);

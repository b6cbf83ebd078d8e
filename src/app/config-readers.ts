/** Readers of environment values. */
import { readFileSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import type { Bucket } from '../blobs/object-bucket.ts';
import { databaseAddress, DatabaseUrlError } from '../db/connection-url.ts';
import type { ClamdAddress } from '../file-links/scan/clamd.ts';
import { isNetwork } from '../net/networks.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import type { SmartHostAddress } from '../sending/deliver/smtp/host-address.ts';

/** The service cannot run with this configuration. The message names the variable, what is wrong and what is valid. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export interface Reader<Value> {
  /** The valid values, worded to follow "It must be". */
  readonly right: string;
  /**
   * @param text not empty
   * @param refuse throws a ConfigError that quotes `found`, by default the whole text. Pass `found` if the text may contain a password
   */
  read(text: string, refuse: (found?: string) => never): Value;
}

function matching(pattern: RegExp, right: string, found?: string): Reader<string> {
  return { right, read: (text, refuse) => (pattern.test(text) ? text : refuse(found)) };
}

export const absolutePath: Reader<string> = { right: 'a path', read: (text) => resolve(text) };

/** Accepts any text. @param right the valid values, for the message if the setting is missing */
export const line = (right: string): Reader<string> => ({ right, read: (text) => text });

const itemsOf = (text: string): string[] => text.split(',').flatMap((item) => item.trim() || []);

export const list: Reader<readonly string[]> = { right: 'a list, separated by commas', read: itemsOf };

export function oneOf<const T extends string>(allowed: readonly T[]): Reader<T> {
  return {
    right: allowed.join(' or '),
    read: (text, refuse) => allowed.find((item) => item === text) ?? refuse(),
  };
}

/** Returns the items in the order of `allowed`. A list that contains only commas selects all items. */
export function someOf<const T extends string>(allowed: readonly T[]): Reader<readonly T[]> {
  return {
    right: `a list of ${allowed.join(', ')}, separated by commas`,
    read(text, refuse) {
      const items = itemsOf(text);
      for (const item of items) if (!allowed.some((one) => one === item)) refuse(JSON.stringify(item));
      return items.length === 0 ? allowed : allowed.filter((item) => items.includes(item));
    },
  };
}

export function wholeNumber(min: number, max: number): Reader<number> {
  return {
    right: `a whole number from ${min} to ${max}`,
    read: (text, refuse) =>
      /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : refuse(),
  };
}

/** @param text in lower case */
export function isDomainName(text: string): boolean {
  return text.length <= 253 && /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/.test(text);
}

/** Returns the name in lower case. */
export const domainName: Reader<string> = {
  right: 'a domain name such as mail.example.com',
  read(text, refuse) {
    const name = text.toLowerCase();
    return isDomainName(name) ? name : refuse(JSON.stringify(name));
  },
};

/** Returns the names in lower case. */
export const hostNames: Reader<readonly string[]> = {
  right: 'a list of host names, separated by commas, such as mx2.example.com',
  read: (text, refuse) =>
    itemsOf(text.toLowerCase()).map((name) => (isDomainName(name) ? name : refuse(JSON.stringify(name)))),
};

/** Returns the addresses without brackets. */
export const ipAddresses: Reader<readonly string[]> = {
  right:
    'IP addresses of this machine without a port, separated by commas, such as 127.0.0.1,::1; :: is all of them',
  read(text, refuse) {
    const addresses = itemsOf(text).map((item) => item.replace(/^\[(.*)\]$/, '$1'));
    for (const address of addresses) if (isIP(address) === 0) refuse(JSON.stringify(address));
    return addresses.length === 0 ? refuse() : addresses;
  },
};

/** Returns the networks as `Networks` expects them. */
export const networks: Reader<readonly string[]> = {
  right: 'IP addresses or CIDR ranges, separated by commas, such as 192.0.2.7,10.0.0.0/8',
  read(text, refuse) {
    const items = itemsOf(text);
    for (const item of items) if (!isNetwork(item)) refuse(JSON.stringify(item));
    return items.length === 0 ? refuse() : items;
  },
};

/** Returns names in lower case; one of the names may be `default`. Returns an empty list for `none`. */
export const arcSealers: Reader<readonly string[]> = {
  right: 'domains, separated by commas, where default means the list in docs/operate/spam.md; or none',
  read(text, refuse) {
    if (text.toLowerCase() === 'none') return [];
    const items = itemsOf(text.toLowerCase());
    for (const item of items) if (!isDomainName(item)) refuse(JSON.stringify(item));
    return items.length === 0 ? refuse() : items;
  },
};

/** The ports for mail, as `POSTHORN_PROXY_PROTOCOL` names them. */
export const MAIL_DOORS = ['smtp', 'submission', 'submissions', 'imap', 'imaps', 'pop3', 'pop3s'] as const;
const DOORS: readonly string[] = [...MAIL_DOORS, 'all'];

/** Returns each item as `name=network`. The name is one of `MAIL_DOORS`, or `all`. */
export const networksOfDoors: Reader<readonly string[]> = {
  right: `a list of name=network, separated by commas, such as smtp=10.0.0.0/8,imaps=10.0.0.0/8; a name is ${DOORS.join(', ')}`,
  read(text, refuse) {
    const items = itemsOf(text);
    for (const item of items) {
      const [door = '', network = '', ...more] = item.split('=');
      if (!DOORS.includes(door) || !isNetwork(network) || more.length > 0) refuse(JSON.stringify(item));
    }
    return items.length === 0 ? refuse() : items;
  },
};

/** Returns `ip:port`, with brackets around an IPv6 address. */
export const dnsServer: Reader<string> = {
  right: 'an address and a port such as 127.0.0.1:53 or [::1]:53',
  read(text, refuse) {
    const [, bracketed, plain = '', port = '53'] =
      /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? refuse();
    const address = bracketed ?? plain;
    if (isIP(address) === 0 || Number(port) < 1 || Number(port) > 65_535) refuse();
    return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
  },
};

/** A path on this machine, or a host and a port. */
export const clamdAddress: Reader<ClamdAddress> = {
  right: 'the path of a socket such as /run/clamav/clamd.ctl, or a host and a port such as localhost:3310',
  read(text, refuse) {
    if (text.startsWith('/')) return { path: text };
    const [, bracketed, plain = '', digits] = /^(?:\[([^\]]+)\]|([^:/]+)):(\d{1,5})$/.exec(text) ?? refuse();
    const host = (bracketed ?? plain).toLowerCase();
    const port = Number(digits);
    return (isIP(host) !== 0 || isDomainName(host)) && port >= 1 && port <= 65_535
      ? { host, port }
      : refuse();
  },
};

/** Returns the address in normal form. */
export const mailAddress: Reader<string> = {
  right: 'an address such as ops@acme.example',
  read(text, refuse) {
    const parsed = parseMailbox(text);
    return 'error' in parsed || parsed.displayName !== null ? refuse() : parsed.address;
  },
};

/** Returns a URI for the field `Contact` of `security.txt` (RFC 9116, section 2.5.3). */
export const contact: Reader<string> = {
  right: 'an address such as security@acme.example, or the https address of a page',
  read(text, refuse) {
    if (text.startsWith('https:')) return (parseUrl(text, 'https:') ?? refuse()).href;
    const address = mailAddress.read(text.replace(/^mailto:/i, ''), refuse);
    return `mailto:${encodeURI(address).replaceAll(/[?#]/g, encodeURIComponent)}`;
  },
};

export const secret: Reader<string> = {
  right: 'at least 16 characters; generate one with openssl rand -base64 32',
  read: (text, refuse) => (text.length < 16 ? refuse(`${text.length} characters long`) : text),
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
  right: 'postgres://user:password@host:5432/database; separate several hosts with commas',
  read(text, refuse) {
    try {
      databaseAddress(text);
      return text;
    } catch (error) {
      return refuse(error instanceof DatabaseUrlError ? error.message : 'not a PostgreSQL URL');
    }
  },
};

/** Returns the address without a trailing slash. */
export const httpAddress: Reader<string> = {
  right: 'an http or https address such as https://mail.example.com',
  read(text, refuse) {
    const url = parseUrl(text, 'http:', 'https:') ?? refuse();
    return url.search === '' && url.hash === '' ? url.href.replace(/\/+$/, '') : refuse();
  },
};

const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';

/** Returns the address of the directory. Null if ACME is off. */
export const acmeDirectory: Reader<string | null> = {
  right: 'on, off, or the https address of an ACME directory',
  read(text, refuse) {
    if (text === 'on') return LETS_ENCRYPT;
    if (text === 'off') return null;
    return (parseUrl(text, 'https:') ?? refuse()).href;
  },
};

/**
 * Returns the text unchanged, because every character must equal the issuer that the provider states (OpenID Connect Discovery 1.0,
 * section 4.3).
 */
export const issuer: Reader<string> = {
  right: 'an http or https address without query and fragment, such as https://accounts.acme.example',
  read(text, refuse) {
    const url = URL.parse(text);
    const isRight =
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      url.search === '' &&
      url.hash === '' &&
      url.username === '';
    return isRight ? text : refuse();
  },
};

export const httpOrigin: Reader<string> = {
  right: 'an http or https origin without a path',
  read(text, refuse) {
    const url = parseUrl(text, 'http:', 'https:') ?? refuse();
    return url.pathname === '/' && url.search === '' ? url.origin : refuse();
  },
};

export const smartHostUrl: Reader<SmartHostAddress> = {
  right: 'smtp://[user:password@]host[:port] or smtps://[user:password@]host[:port]',
  read(text, refuse) {
    const url = parseUrl(text, 'smtp:', 'smtps:') ?? refuse('not an SMTP URL');
    if (url.hostname === '') refuse('not an SMTP URL');
    if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '')
      refuse('followed by a path or a query');
    if ((url.username === '') !== (url.password === '')) refuse('with only one of user and password');
    const decoded = (part: string): string | null => {
      try {
        return part === '' ? null : decodeURIComponent(part);
      } catch {
        return refuse('with a % that is not part of a percent-encoding (write %25 for it)');
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
/** A host such as `s3.eu-central-1.amazonaws.com`, with the region as the group. */
const AWS_S3 = /^s3[.-]([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/;

/** Returns an https origin. If `isHere` is true, the bucket is on this machine, and `readConfig` uses http in development. */
export const bucketUrl: Reader<Bucket & { isHere: boolean }> = {
  right: 's3://key:secret@host[:port]/bucket, with ?region= if the service needs one',
  read(text, refuse) {
    const url = parseUrl(text, 's3:') ?? refuse('not an S3 URL');
    const decoded = (part: string): string => {
      try {
        return decodeURIComponent(part);
      } catch {
        return refuse('with a % that is not part of a percent-encoding (write %25 for it)');
      }
    };
    const bucket = /^\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/?$/.exec(url.pathname)?.[1];
    if (url.hostname === '' || url.hash !== '') refuse('not an S3 URL');
    if (url.username === '' || url.password === '')
      refuse('without key or secret (write %2F for a / in them)');
    if (bucket === undefined) return refuse('without a valid bucket name, or with a path after it');
    const region = url.searchParams.get('region') ?? AWS_S3.exec(url.hostname)?.[1] ?? 'us-east-1';
    if ([...url.searchParams.keys()].some((name) => name !== 'region') || !/^[a-z0-9-]{1,40}$/.test(region))
      refuse('followed by something other than ?region=');
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
  right: 'a file that can be read',
  read(text, refuse) {
    try {
      readFileSync(text);
    } catch (error) {
      refuse(`${JSON.stringify(text)} (${(error as NodeJS.ErrnoException).code})`);
    }
    return resolve(text);
  },
};

export const awsRegion = matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'an AWS region such as eu-central-1');

/** The region in the ARN determines the host from which the certificates of SNS are fetched. */
export const topicArn = matching(
  /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}$/,
  'the ARN of a topic such as arn:aws:sns:eu-central-1:111122223333:posthorn-ses',
);

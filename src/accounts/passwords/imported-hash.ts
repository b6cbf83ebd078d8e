/**
 * Password hashes that other mail servers made (docs/decisions/0130-password-hashes-of-other-systems.md). They are stored with the name of
 * their scheme in front, as Dovecot writes them: `{BLF-CRYPT}$2y$10$...`. Hashes that Posthorn made have no such name. This file imports
 * none of our modules, because a worker thread loads it.
 */

/** The text of an accepted hash, as it is stored. */
export interface ImportedHash {
  readonly stored: string;
}

/** A hash whose form and cost have been checked. */
export type ParsedHash =
  | { scheme: 'BLF-CRYPT'; hash: string }
  | { scheme: 'SHA256-CRYPT' | 'SHA512-CRYPT'; salt: string; rounds: number; digest: string }
  | { scheme: 'ARGON2ID'; memory: number; passes: number; lanes: number; salt: string; digest: string };

/** Long enough for every accepted hash. */
const MAX_LENGTH = 512;

/**
 * Limits on the cost. The minimum of bcrypt is the default of `doveadm pw`, that of SHA-crypt the default of crypt(3), and that of argon2id
 * the weakest setting that OWASP's password storage cheat sheet accepts. At the maximum, a check takes about 0.4 seconds, or twice as long
 * if two forms of the password are compared. The thread that checks passwords is not available to others for this time. The cost of
 * SHA-crypt also depends on the length of the password, which clients choose: its maximum holds for the longest password.
 */
const BCRYPT_COST = { least: 5, most: 12 };
const SHA_ROUNDS = { least: 5_000, most: 100_000 };
/** The rounds of SHA-crypt if the hash does not name them. */
const DEFAULT_ROUNDS = 5_000;
/** Memory multiplied by passes, in KiB. */
const ARGON2_COST = { least: 35_840, most: 524_288 };
const ARGON2_MEMORY_KIB = { least: 7_168, most: 131_072 };
const MAX_LANES = 16;

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const SHA_CRYPT =
  /^\$([56])\$(?:rounds=(\d{1,9})\$)?([./A-Za-z0-9]{1,16})\$([./A-Za-z0-9]{43}|[./A-Za-z0-9]{86})$/;
const ARGON2ID =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

const ACCEPTED = 'bcrypt ($2a$, $2b$, $2y$), SHA-crypt ($5$, $6$) and argon2id ($argon2id$)';

/** Kinds of hashes that are often found, but not accepted, and the reason. */
const REJECTED: readonly (readonly [pattern: RegExp, fault: string])[] = [
  [/^\$(?:1|apr1|md5)\b|^\{[\w-]*MD5/i, 'is an MD5 hash, which can be reversed quickly'],
  [/^\{(?:PLAIN|CLEAR|CLEARTEXT)[.}]/i, 'is a password in plain text, not a hash'],
  [/^(?:\{(?:DES-)?CRYPT\})?[./A-Za-z0-9]{13}$/i, 'is a DES hash, which can be reversed quickly'],
  [/^\{S?SHA\d*[.}]/i, 'is a single round of SHA, which can be reversed quickly'],
  [/^\$(?:y|gy|7)\$/, 'is a yescrypt or scrypt hash, which is not supported'],
  [/^\$argon2[di]\$/, 'is an argon2i or argon2d hash, which is not supported'],
  [/^\$2x?\$/, 'is a bcrypt hash of a version with an error ($2$, $2x$)'],
];

/** The scheme by which the text after `{...}` may be introduced. Null: Dovecot's `CRYPT` stands for every kind that crypt(3) knows. */
const NAMED = /^\{([A-Za-z0-9-]+)\}/;

export function isImported(hash: string): boolean {
  return hash.startsWith('{');
}

/**
 * Reads a hash of another system, with or without the name of its scheme.
 * @returns the hash, or the reason why it is not accepted, for an error message
 */
export function readImportedHash(text: string): ImportedHash | { fault: string } {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH || /[^\x21-\x7e]/.test(trimmed))
    return { fault: `must be one hash of at most ${MAX_LENGTH} ASCII characters, without the user's name` };
  const named = NAMED.exec(trimmed)?.[1]?.toUpperCase();
  const hash = trimmed.replace(NAMED, '');
  const parsed = parseHash(hash);
  if (parsed === null) {
    const [, fault] = REJECTED.find(([pattern]) => pattern.test(trimmed) || pattern.test(hash)) ?? [];
    return { fault: `${fault ?? 'is not a hash of a known kind'}; accepted are ${ACCEPTED}` };
  }
  if (named !== undefined && named !== parsed.scheme && (named !== 'CRYPT' || parsed.scheme === 'ARGON2ID'))
    return { fault: `is named ${named}, but has the form of ${parsed.scheme}` };
  const fault = costFault(parsed);
  return fault === null ? { stored: `{${parsed.scheme}}${hash}` } : { fault };
}

/** @throws TypeError if the text is not a stored hash of another system */
export function parseStored(stored: string): ParsedHash {
  const parsed = parseHash(stored.replace(NAMED, ''));
  if (parsed === null || !isImported(stored))
    throw new TypeError('a stored password hash is of an unknown kind');
  return parsed;
}

/**
 * A hash that takes exactly as long to check as the given one, and that no password matches, so that the time of a sign-in does not reveal
 * whether an account exists.
 */
export function standInFor(stored: string): string {
  return stored.replace(/[^$]+$/, (digest) => 'A'.repeat(digest.length));
}

function parseHash(hash: string): ParsedHash | null {
  if (BCRYPT.test(hash)) return { scheme: 'BLF-CRYPT', hash };
  const [, kind, rounds, shaSalt = '', shaDigest = ''] = SHA_CRYPT.exec(hash) ?? [];
  if (kind !== undefined && shaDigest.length === (kind === '5' ? 43 : 86))
    return {
      scheme: kind === '5' ? 'SHA256-CRYPT' : 'SHA512-CRYPT',
      salt: shaSalt,
      rounds: rounds === undefined ? DEFAULT_ROUNDS : Number(rounds),
      digest: shaDigest,
    };
  const [, memory, passes, lanes, salt = '', digest = ''] = ARGON2ID.exec(hash) ?? [];
  return memory === undefined
    ? null
    : {
        scheme: 'ARGON2ID',
        memory: Number(memory),
        passes: Number(passes),
        lanes: Number(lanes),
        salt,
        digest,
      };
}

function costFault(parsed: ParsedHash): string | null {
  switch (parsed.scheme) {
    case 'BLF-CRYPT':
      return boundsFault('a bcrypt cost', Number(parsed.hash.slice(4, 6)), BCRYPT_COST);
    case 'SHA256-CRYPT':
    case 'SHA512-CRYPT':
      return boundsFault('a number of rounds', parsed.rounds, SHA_ROUNDS);
    case 'ARGON2ID': {
      const { memory, passes, lanes } = parsed;
      if (passes < 1 || lanes < 1 || lanes > MAX_LANES || memory < 8 * lanes)
        return `must have at least 1 pass, 1 to ${MAX_LANES} lanes, and 8 KiB of memory per lane`;
      return (
        boundsFault('an argon2id memory in KiB', memory, ARGON2_MEMORY_KIB) ??
        boundsFault('argon2id memory in KiB times passes', memory * passes, ARGON2_COST)
      );
    }
    default:
      return parsed satisfies never;
  }
}

function boundsFault(
  what: string,
  value: number,
  { least, most }: { least: number; most: number },
): string | null {
  if (value < least)
    return `has ${what} of ${value}, which is too weak (the minimum is ${least}): set a new password instead`;
  if (value > most)
    return `has ${what} of ${value}, which takes too long to check (the maximum is ${most}): set a new password instead`;
  return null;
}

/**
 * The server side of the SASL mechanisms that send a password (RFC 4422): PLAIN (RFC 4616), and LOGIN, which has no RFC but is the only
 * mechanism that old mail apps support. Challenges and responses are octets, which the caller encodes in base64 lines.
 */

export type SaslStep =
  /** The challenge to send to the client. */
  | { challenge: Buffer }
  | { user: string; password: string }
  /** The response is not valid for the mechanism. */
  | { fault: string };

/** One sign-in attempt. */
export interface SaslExchange {
  /** Processes a response. @param response null if the client has not sent a response yet */
  next(response: Buffer | null): SaslStep;
}

/** The mechanisms in the order of announcement, the better mechanism first. */
export const SASL_MECHANISMS = ['PLAIN', 'LOGIN'] as const;

/** Starts a sign-in attempt. @returns null for an unknown mechanism */
export function startExchange(mechanism: string): SaslExchange | null {
  switch (mechanism.toUpperCase()) {
    case 'PLAIN':
      return {
        next: (response) => (response === null ? { challenge: Buffer.alloc(0) } : readPlain(response)),
      };
    case 'LOGIN':
      return new LoginExchange();
    default:
      return null;
  }
}

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const NOT_UTF8: SaslStep = { fault: 'The user name or the password is not UTF-8' };

function textOf(octets: Buffer): string | null {
  try {
    return DECODER.decode(octets);
  } catch {
    return null;
  }
}

function readPlain(response: Buffer): SaslStep {
  const text = textOf(response);
  if (text === null) return NOT_UTF8;
  const [authorization, user, password, ...more] = text.split('\0');
  if (authorization === undefined || !user || !password || more.length > 0)
    return { fault: 'PLAIN needs a user name and a password, each preceded by a NUL' };
  // PLAIN can name another user to act as (RFC 4616, section 2), which is not supported.
  if (authorization !== '' && authorization !== user)
    return { fault: 'Signing in on behalf of another user is not supported' };
  return { user, password };
}

class LoginExchange implements SaslExchange {
  #user: string | null = null;
  #isChallenged = false;

  next(response: Buffer | null): SaslStep {
    if (response === null) {
      this.#isChallenged = true;
      return { challenge: Buffer.from('Username:') };
    }
    // `response` is an initial response or the response to a challenge.
    const text = textOf(response);
    if (text === null) return NOT_UTF8;
    if (this.#user !== null) return { user: this.#user, password: text };
    // Some clients begin with an empty initial response.
    if (text === '' && !this.#isChallenged) return this.next(null);
    this.#user = text;
    return { challenge: Buffer.from('Password:') };
  }
}

/** Decodes SASL base64 (RFC 4648, section 4). @returns null for invalid base64, such as text with any other character */
export function decodeBase64(text: string): Buffer | null {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)
    ? Buffer.from(text, 'base64')
    : null;
}

/**
 * The server's side of the mechanisms that carry a password (RFC 4422): PLAIN (RFC 4616) and LOGIN, which is in no RFC and which old mail apps
 * know alone. What goes over the wire is octets; each protocol puts them into base64 lines of its own.
 */

export type SaslStep =
  /** What the client is asked. */
  | { challenge: Buffer }
  | { user: string; password: string }
  /** The answer is none that the mechanism has. */
  | { fault: string };

/** One try to sign in. */
export interface SaslExchange {
  /** @param response null: the client has said nothing yet */
  next(response: Buffer | null): SaslStep;
}

/** As protocols announce them, the better one first. */
export const SASL_MECHANISMS = ['PLAIN', 'LOGIN'] as const;

/** @returns null: there is no such mechanism */
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
const NOT_UTF8: SaslStep = { fault: 'The name or the password is not UTF-8' };

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
    return { fault: 'PLAIN has a name and a password, each behind a NUL' };
  // Nobody acts for somebody else here (RFC 4616, section 2).
  if (authorization !== '' && authorization !== user)
    return { fault: 'Nobody signs in for somebody else here' };
  return { user, password };
}

class LoginExchange implements SaslExchange {
  #user: string | null = null;
  #isAsked = false;

  next(response: Buffer | null): SaslStep {
    if (response === null) {
      this.#isAsked = true;
      return { challenge: Buffer.from('Username:') };
    }
    // Said at once, or after the question.
    const text = textOf(response);
    if (text === null) return NOT_UTF8;
    if (this.#user !== null) return { user: this.#user, password: text };
    // An empty one before the first question is how some clients begin.
    if (text === '' && !this.#isAsked) return this.next(null);
    this.#user = text;
    return { challenge: Buffer.from('Password:') };
  }
}

/** Base64 as SASL has it (RFC 4648, section 4): nothing else, and nothing behind its end. @returns null: it is none */
export function decodeBase64(text: string): Buffer | null {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)
    ? Buffer.from(text, 'base64')
    : null;
}

import { startTls } from '../../../net/tls.ts';
import type { Capabilities } from '../../../rfc/smtp/capabilities.ts';
import { ownWords, type Peer, type Said } from './attempt-reply.ts';
import { dial } from './dial.ts';
import type { SessionHost, SessionOptions } from './host-address.ts';
import { SetUp } from './set-up.ts';
import type { Transcript } from './transcript.ts';
import type { Wire } from './wire.ts';

/** A connection that is greeted, secured and logged in: the next command may be MAIL. */
export interface HostSession extends Peer {
  readonly remoteMta: string;
  readonly wire: Wire;
  readonly capabilities: Capabilities;
  /** How it came about. */
  readonly transcript: Transcript;
  readonly openedAtMs: number;
  /** What is wrong with its TLS, or why there is none: a code, or `no-starttls`. Null: a verified certificate. */
  readonly tlsFault: string | null;
}

/** Why a host as a whole cannot be used now. */
export interface SessionFailure extends Peer {
  readonly said: Said;
  readonly transcript: Transcript;
  /** As in `HostSession`; null where it did not come to TLS. */
  readonly tlsFault: string | null;
  /** Present: there is no host, and there is not going to be one. */
  readonly unroutable?: 'no_route';
}

export type SessionResult = { readonly session: HostSession } | { readonly failure: SessionFailure };

/**
 * Opens a session. Opportunistic TLS is used wherever it is offered, whatever the certificate. When it fails, the mail goes
 * without TLS: it would have gone so anyway.
 * @param signal ends the connection, set up or not
 */
export async function openSession(
  host: SessionHost,
  options: SessionOptions,
  transcript: Transcript,
  signal: AbortSignal,
): Promise<SessionResult> {
  const first = await attempt(host, options, transcript, signal, null);
  if (!('handshakeFailed' in first) || host.tls === 'verified' || signal.aborted) return first;
  return attempt(host, options, transcript, signal, first.failure.tlsFault);
}

/** @param earlierFault of a handshake that failed: there is none this time */
async function attempt(
  host: SessionHost,
  options: SessionOptions,
  transcript: Transcript,
  signal: AbortSignal,
  earlierFault: string | null,
): Promise<SessionResult | { failure: SessionFailure; handshakeFailed: true }> {
  const { name, address, port, implicitTls } = host;
  const { connectMs } = options.timings;
  const fail = (text: string, tlsFault: string | null): { failure: SessionFailure } => {
    transcript.note(text);
    return { failure: { said: ownWords(text), remoteMta: name, tls: false, transcript, tlsFault } };
  };

  transcript.note(`connecting to ${name === address ? name : `${name} (${address})`}, port ${port}`);
  const dialled = await dial(address, port, { timeoutMs: connectMs, lookup: options.lookup, signal });
  if ('error' in dialled) return fail(`No connection to ${name}, port ${port}: ${dialled.error}`, null);

  const secured = implicitTls ? await startTls(dialled.socket, name, host.tls, connectMs) : dialled;
  if ('error' in secured) return fail(`No TLS with ${name}: ${secured.error}`, secured.fault);

  const setUp = new SetUp(secured, host, options, transcript);
  const said = await setUp.run(earlierFault === null);
  const { peer } = setUp;
  const tlsFault = earlierFault ?? setUp.tlsFault;
  if (said === null) {
    const { wire, capabilities } = setUp;
    return { session: { ...peer, wire, capabilities, transcript, openedAtMs: performance.now(), tlsFault } };
  }
  const failure: SessionFailure = {
    ...peer,
    said,
    transcript,
    tlsFault,
    ...(setUp.isUs && { unroutable: 'no_route' }),
  };
  return setUp.handshakeFailed ? { failure, handshakeFailed: true } : { failure };
}

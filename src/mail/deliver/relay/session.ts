import { startTls } from '../../../net/tls.ts';
import type { Capabilities } from '../../../rfc/smtp/capabilities.ts';
import type { AttemptReply } from '../provider.ts';
import { ownWords, type Peer } from './attempt-reply.ts';
import { dial } from './dial.ts';
import { SetUp } from './set-up.ts';
import { needsVerifiedTls, type SessionOptions, type SmartHostAddress } from './smart-host.ts';
import type { Wire } from './wire.ts';

/** A connection that is greeted, secured and logged in: the next command may be MAIL. */
export interface Session extends Peer {
  readonly wire: Wire;
  readonly capabilities: Capabilities;
}

/** `failure` says why the host as a whole cannot be used now. */
export type SessionResult = { readonly session: Session } | { readonly failure: AttemptReply };

/**
 * Opens a session. Credentials leave this process only over TLS with a verified certificate, or to this
 * machine itself. Without credentials TLS is used where it is offered, whatever the certificate, and done
 * without where it fails: mail that would go in the clear anyway gains nothing from not going.
 * @param signal ends the connection, set up or not
 */
export async function openSession(
  address: SmartHostAddress,
  options: SessionOptions,
  signal: AbortSignal,
): Promise<SessionResult> {
  const first = await attempt(address, options, signal, true);
  if (!('startTlsFailed' in first) || needsVerifiedTls(address) || signal.aborted) return first;
  return attempt(address, options, signal, false);
}

async function attempt(
  address: SmartHostAddress,
  options: SessionOptions,
  signal: AbortSignal,
  useStartTls: boolean,
): Promise<SessionResult | { failure: AttemptReply; startTlsFailed: true }> {
  const { host, port, implicitTls } = address;
  const nobody: Peer = { remoteMta: host, tls: false };
  const verify = needsVerifiedTls(address);
  const { connectMs } = options.timings;

  const dialled = await dial(host, port, { timeoutMs: connectMs, lookup: options.lookup, signal });
  if ('error' in dialled) {
    return { failure: ownWords(`No connection to ${host}, port ${port}: ${dialled.error}`, nobody) };
  }
  const secured = implicitTls ? await startTls(dialled.socket, host, verify, connectMs) : dialled;
  if ('error' in secured)
    return { failure: ownWords(`No TLS with the smart host: ${secured.error}`, nobody) };

  const setUp = new SetUp(secured.socket, { tls: implicitTls, verify }, address, options);
  const failure = await setUp.run(useStartTls);
  if (failure === null) {
    return { session: { wire: setUp.wire, capabilities: setUp.capabilities, ...setUp.peer } };
  }
  return setUp.startTlsFailed ? { failure, startTlsFailed: true } : { failure };
}

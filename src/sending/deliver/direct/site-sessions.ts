/** Opens sessions with whichever host of a site answers first, in order of preference. */
import type { TlsMode } from '../../../net/tls.ts';
import type { SmtpSessionOptions } from '../smtp/host-address.ts';
import {
  type HostSession,
  openSession,
  ownFailure,
  type SessionFailure,
  type SessionResult,
} from '../smtp/host-session.ts';
import { Transcript } from '../smtp/transcript.ts';
import type { HostAddressBook } from './host-addresses.ts';
import type { TroubledHosts } from './troubled-hosts.ts';

/** Connections tried for one session. */
const MAX_TRIES = 5;
/** Addresses of one host that are tried when there are other hosts. */
const MAX_TRIES_OF_HOST = 2;
/** After this long no further connection is begun. */
const BUDGET_MS = 120_000;

export interface SiteSessionsOptions extends SmtpSessionOptions {
  /** The port that is dialled. */
  port: number;
  book: HostAddressBook;
  troubled: TroubledHosts;
  random: () => number;
}

export interface SiteHosts {
  /** All of them. */
  names: readonly string[];
  /** By preference; those of one group are equal. */
  groups: readonly (readonly string[])[];
  tls: TlsMode;
}

/** The site that wants the session. */
export interface SessionSeeker {
  /** Whether it has a session with the host. Then, when the host refuses another one, the next host is not tried. */
  isOpenWith(host: string): boolean;
  /** Called for each host that was tried, with its session, or the failure to have one. */
  onTried(host: string, session: AttemptedSession): void;
}

export type AttemptedSession = Pick<HostSession, 'tls' | 'tlsFault'>;

export async function openSiteSession(
  { groups, tls }: SiteHosts,
  options: SiteSessionsOptions,
  signal: AbortSignal,
  seeker: SessionSeeker,
): Promise<SessionResult> {
  const { book, troubled, random, port } = options;
  // Many servers whose name was never set up call themselves localhost.
  const mayBeUs = options.heloName.includes('.');
  const transcript = new Transcript();
  const startedAtMs = performance.now();
  const hosts = troubled.inOrder(groups, random, startedAtMs);
  const failures: SessionFailure[] = [];
  let tries = 0;
  let hasDnsFailed = false;
  const isOver = (): boolean =>
    signal.aborted || tries === MAX_TRIES || performance.now() - startedAtMs > BUDGET_MS;
  for (const host of hosts) {
    // A host that was not asked is not in trouble: it comes first at the next try.
    if (isOver()) break;
    const found = await book.of(host);
    if (found.outcome !== 'found') {
      transcript.note(found.text);
      hasDnsFailed ||= found.outcome === 'failed';
      failures.push(ownFailure(found.text, transcript));
      continue;
    }
    const addresses = hosts.length === 1 ? found.addresses : found.addresses.slice(0, MAX_TRIES_OF_HOST);
    for (const address of addresses) {
      if (isOver()) break;
      tries += 1;
      const name = host.startsWith('[') ? address : host;
      const sessionHost = { name, address, port, implicitTls: false, tls, login: null, mayBeUs };
      const result = await openSession(sessionHost, options, transcript, signal);
      seeker.onTried(host, 'session' in result ? result.session : result.failure);
      if ('session' in result) {
        troubled.clear(host);
        return result;
      }
      if (seeker.isOpenWith(name)) return result;
      const { unroutable, ...failure } = result.failure;
      failures.push(failure);
      if (unroutable === undefined) continue;
      // This server itself: hosts that are no better than it are none (RFC 5321, section 5.1).
      if (groups[0]?.includes(host) === true) return { failure: { ...result.failure, bestHosts: groups[0] } };
      return { failure: failures[0] ?? failure };
    }
    troubled.add(host, performance.now());
  }
  const told = failures.find(({ said }) => said.replyCode !== null) ?? failures[0];
  const failure = told ?? ownFailure('No host can be asked', transcript);
  return tries === 0 && !hasDnsFailed
    ? { failure: { ...failure, unroutable: 'no_route', bestHosts: groups[0] } }
    : { failure };
}

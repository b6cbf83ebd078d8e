/** Opens a session with the most preferred host of a site that can be reached. */
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

/** The maximum number of connections that are tried for one session. */
const MAX_TRIES = 5;
/** The maximum number of addresses that are tried per host if the site has several hosts. */
const MAX_TRIES_OF_HOST = 2;
/** After this time, in milliseconds, no further connection is tried. */
const BUDGET_MS = 120_000;

export interface SiteSessionsOptions extends SmtpSessionOptions {
  port: number;
  book: HostAddressBook;
  troubled: TroubledHosts;
  random: () => number;
}

export interface SiteHosts {
  /** The names of all hosts. */
  names: readonly string[];
  /** Groups of hosts, most preferred first. The hosts of a group are equally preferred. */
  groups: readonly (readonly string[])[];
  tls: TlsMode;
}

/** The site that needs the session. */
export interface SessionSeeker {
  /** Whether the site has a session with the host. If so, and the host rejects another session, the next host is not tried. */
  isOpenWith(host: string): boolean;
  /** Called for each host that was tried, with the session or the failure. */
  onAttempt(host: string, session: AttemptedSession): void;
}

export type AttemptedSession = Pick<HostSession, 'tls' | 'tlsFault'>;

export async function openSiteSession(
  { groups, tls }: SiteHosts,
  options: SiteSessionsOptions,
  signal: AbortSignal,
  seeker: SessionSeeker,
): Promise<SessionResult> {
  const { book, troubled, random, port } = options;
  // A greeting with the name `localhost` proves nothing, because many servers without a configured name use it.
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
    // A host that was not tried does not count as failed, so the next attempt begins with this host.
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
      seeker.onAttempt(host, 'session' in result ? result.session : result.failure);
      if ('session' in result) {
        troubled.clear(host);
        return result;
      }
      if (seeker.isOpenWith(name)) return result;
      const { unroutable, ...failure } = result.failure;
      failures.push(failure);
      if (unroutable === undefined) continue;
      // The host is this server, so hosts that are not preferred to this server must not be used (RFC 5321, section 5.1).
      if (groups[0]?.includes(host) === true) return { failure: { ...result.failure, bestHosts: groups[0] } };
      return { failure: failures[0] ?? failure };
    }
    troubled.add(host, performance.now());
  }
  const told = failures.find(({ reply }) => reply.replyCode !== null) ?? failures[0];
  const failure = told ?? ownFailure('No host could be contacted', transcript);
  return tries === 0 && !hasDnsFailed
    ? { failure: { ...failure, unroutable: 'no_route', bestHosts: groups[0] } }
    : { failure };
}

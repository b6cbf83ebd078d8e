/** Asks the operator's blocklists about a message (docs/operate/spam.md, Blocklists). */
import ipaddr from 'ipaddr.js';
import { within } from '../../concurrency/within.ts';
import { DnsResolver } from '../../net/dns.ts';
import { reverseLabels } from '../../net/dns-name.ts';
import type { Arrival } from '../authenticate/authentication.ts';
import { CachedDns } from '../authenticate/cached-dns.ts';
import { isOutside } from '../spam/rules/connection.ts';
import type { SpamReason } from '../spam/verdict.ts';
import { Blocklist, type LookUpAddress } from './blocklist.ts';
import { type LinkDomain, registeredDomain } from './link-domains.ts';
import { type ListKind, listingRule, type ListSettings } from './list-settings.ts';
import { TIMINGS } from './timings.ts';

export interface BlocklistsOptions {
  lists: readonly ListSettings[];
  /** The DNS server as `ip:port`. Null for the system's resolvers. */
  dns: string | null;
  /** Hosts of this installation. The domains under which they are registered are not looked up. */
  hosts: readonly string[];
  /** Returns those names that are domains of this installation. */
  ownDomains(names: readonly string[]): Promise<readonly string[]>;
  logger: { warn(fields: object, message: string): void };
  /** Default: `MAX_LOOK_UPS`. */
  maxLookUps?: number;
  /** Default: `TIMINGS`. */
  timings?: typeof TIMINGS;
}

/**
 * The maximum number of look-ups in progress. Beyond it, names are not looked up. Attack: mail with many links arrives faster than its domains
 * can be looked up.
 */
const MAX_LOOK_UPS = 4_000;
/** The maximum points of all lists together. Lists often agree, and must not reject mail without any other rule. */
const MAX_TOTAL = 9;

export class Blocklists {
  readonly #options: Omit<BlocklistsOptions, 'timings' | 'maxLookUps'>;
  readonly #listsMs: number;
  readonly #lists: Readonly<Record<ListKind, readonly Blocklist[]>>;
  readonly #hosts: ReadonlySet<string>;
  readonly #maxLookUps: number;
  #lookUps = 0;

  constructor({ timings = TIMINGS, maxLookUps = MAX_LOOK_UPS, ...options }: BlocklistsOptions) {
    this.#options = options;
    this.#listsMs = timings.listsMs;
    this.#maxLookUps = maxLookUps;
    const lookUp = cachedLookUp(new DnsResolver(options.dns, timings));
    const { logger } = options;
    const lists = options.lists.map((settings) => new Blocklist({ settings, lookUp, logger, timings }));
    this.#lists = {
      address: lists.filter(({ settings }) => settings.kind === 'address'),
      domain: lists.filter(({ settings }) => settings.kind === 'domain'),
    };
    this.#hosts = new Set(options.hosts.flatMap((host) => registeredDomain(host) ?? []));
  }

  /**
   * Begins to look up the client's address, and returns a function that looks up the domains of links and resolves to the reasons. Mail of
   * this installation is not looked up, nor are addresses of private networks. Neither function rejects.
   */
  start(
    arrival: Pick<Arrival, 'address' | 'isOwn'>,
  ): (domains: readonly LinkDomain[]) => Promise<SpamReason[]> {
    if (arrival.isOwn === true) return async () => [];
    const labels = isOutside({ arrival }) ? [reverseLabels(ipaddr.process(arrival.address))] : [];
    const ofAddress = this.#lists.address.map((list) => this.#ask(list, labels));
    return async (domains) => {
      const ofDomains = this.#askOfDomains(domains);
      const reasons = await Promise.all([...ofAddress, ...ofDomains]);
      return limited(reasons.filter((reason) => reason !== null));
    };
  }

  #askOfDomains(domains: readonly LinkDomain[]): Promise<SpamReason | null>[] {
    if (domains.length === 0) return [];
    const strange = this.#strangeOf(domains);
    return this.#lists.domain.map(async (list) => this.#ask(list, await strange));
  }

  /** The reason that follows from the strongest listing of the names in one list. Null if none is listed. */
  async #ask(list: Blocklist, names: readonly string[]): Promise<SpamReason | null> {
    const asked = names.slice(0, Math.max(0, this.#maxLookUps - this.#lookUps));
    this.#lookUps += asked.length;
    const found = asked.map((name) => list.pointsFor(name).finally(() => this.#lookUps--));
    // Each name has its own limit, so that one slow answer does not discard the others.
    const points = Math.max(0, ...(await Promise.all(found.map((one) => within(this.#listsMs, one, 0)))));
    return points === 0 ? null : { rule: listingRule(list.settings), weight: points };
  }

  /** The domains that do not belong to this installation. Empty if that is unknown, because the lists must not learn of its own domains. */
  async #strangeOf(domains: readonly LinkDomain[]): Promise<string[]> {
    if (this.#lists.domain.length === 0) return [];
    try {
      const own = new Set(await this.#options.ownDomains(domains.flatMap(({ names }) => names)));
      const strange = domains.filter(
        ({ domain, names }) => !this.#hosts.has(domain) && !names.some((name) => own.has(name)),
      );
      return strange.map(({ domain }) => domain);
    } catch {
      return [];
    }
  }
}

/** A look-up with a cache of limited size. Answers are cached for a minute, and the absence of an entry for half a minute. */
function cachedLookUp(resolver: DnsResolver): LookUpAddress {
  const cached = new CachedDns(resolver);
  return async (name) => {
    const answer = await cached.ask(name, 'A');
    if (answer.outcome !== 'found') return answer;
    return { outcome: 'found', records: answer.records.filter((record) => typeof record === 'string') };
  };
}

/** Lowers the weights of the weakest reasons, so that the sum is at most `MAX_TOTAL`. */
function limited(reasons: readonly SpamReason[]): SpamReason[] {
  let left = MAX_TOTAL;
  return reasons
    .toSorted((a, b) => b.weight - a.weight)
    .flatMap(({ rule, weight }) => {
      // Rounded to tenths, because differences of decimal fractions are inexact.
      const counted = Math.round(Math.min(weight, left) * 10) / 10;
      left -= counted;
      return counted > 0 ? [{ rule, weight: counted }] : [];
    });
}

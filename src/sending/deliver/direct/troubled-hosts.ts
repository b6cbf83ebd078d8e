/** Hosts that failed recently. */
import { BoundedMap } from '../../../concurrency/bounded-map.ts';

/** The time for which a failed host is tried only after all other hosts. */
const TROUBLE_MS = 2 * 60_000;
const MAX_HOSTS = 10_000;

export class TroubledHosts {
  readonly #until = new BoundedMap<string, number>(MAX_HOSTS);

  add(host: string, nowMs: number): void {
    this.#until.set(host, nowMs + TROUBLE_MS);
  }

  clear(host: string): void {
    this.#until.delete(host);
  }

  /**
   * The hosts in the order in which they are tried: by preference, equally preferred hosts in random order (RFC 5321, section 5.1), and
   * recently failed hosts last.
   */
  inOrder(groups: readonly (readonly string[])[], random: () => number, nowMs: number): string[] {
    const hosts = groups.flatMap((group) => shuffled(group, random));
    const { well = [], troubled = [] } = Object.groupBy(hosts, (host) =>
      (this.#until.get(host) ?? 0) > nowMs ? 'troubled' : 'well',
    );
    return [...well, ...troubled];
  }
}

function shuffled(hosts: readonly string[], random: () => number): string[] {
  return hosts
    .map((host) => ({ host, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ host }) => host);
}

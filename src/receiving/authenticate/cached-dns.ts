/** A DNS cache for all messages, because most mail in any minute comes from the same few domains. */
import type { DnsAnswer, DnsResolver, MxRecord } from '../../net/dns.ts';
import { TIMINGS } from './timings.ts';

/** The JavaScript type of a DNS record, by record type. */
interface RecordsOf {
  A: string;
  AAAA: string;
  CNAME: string;
  MX: MxRecord;
  PTR: string;
  TXT: string;
}

export type RecordType = keyof RecordsOf;

export type AnyRecord = RecordsOf[RecordType];

/** The limit on the total size of all cached answers, in octets. */
const MAX_OCTETS = 4_194_304;
/** The maximum size of one answer, in octets: about fifty times the usual size. A larger answer is treated as a failure. */
const MAX_ANSWER_OCTETS = 32_768;
/** The memory that a cache entry takes in addition to its texts, in octets. */
const ENTRY_OCTETS = 200;

interface Entry {
  answer: Promise<DnsAnswer<AnyRecord>>;
  octets: number;
  /** The `performance.now()` at which the entry expires. */
  untilMs: number;
}

/** Caches answers and shares queries in flight. A full cache evicts the oldest entries first. */
export class CachedDns {
  readonly #resolver: DnsResolver;
  readonly #entries = new Map<string, Entry>();
  #octets = 0;

  constructor(resolver: DnsResolver) {
    this.#resolver = resolver;
  }

  /** @param name in any letter case */
  ask(name: string, type: RecordType): Promise<DnsAnswer<AnyRecord>> {
    const key = `${type} ${name.toLowerCase()}`;
    const known = this.#entries.get(key);
    if (known !== undefined && performance.now() < known.untilMs) return known.answer;
    const entry: Entry = { answer: this.#resolve(name, type), octets: 0, untilMs: Number.POSITIVE_INFINITY };
    this.#forget(key);
    this.#entries.set(key, entry);
    void entry.answer.then((answer) => {
      entry.untilMs = performance.now() + lifetime(answer);
      if (this.#entries.get(key) === entry) this.#weigh(entry, ENTRY_OCTETS + key.length + octetsOf(answer));
    });
    this.#weigh(entry, ENTRY_OCTETS + key.length);
    return entry.answer;
  }

  async #resolve(name: string, type: RecordType): Promise<DnsAnswer<AnyRecord>> {
    const answer = await this.#askResolver(name, type);
    return octetsOf(answer) > MAX_ANSWER_OCTETS ? { outcome: 'failed', reason: 'too long' } : answer;
  }

  #askResolver(name: string, type: RecordType): Promise<DnsAnswer<AnyRecord>> {
    switch (type) {
      case 'A':
        return this.#resolver.a(name);
      case 'AAAA':
        return this.#resolver.aaaa(name);
      case 'CNAME':
        return this.#resolver.cname(name);
      case 'MX':
        return this.#resolver.mx(name);
      case 'PTR':
        return this.#resolver.ptr(name);
      case 'TXT':
        return this.#resolver.txt(name);
    }
  }

  #weigh(entry: Entry, octets: number): void {
    this.#octets += octets - entry.octets;
    entry.octets = octets;
    for (const key of this.#entries.keys()) {
      if (this.#octets <= MAX_OCTETS) return;
      this.#forget(key);
    }
  }

  #forget(key: string): void {
    this.#octets -= this.#entries.get(key)?.octets ?? 0;
    this.#entries.delete(key);
  }
}

function lifetime({ outcome }: DnsAnswer<AnyRecord>): number {
  if (outcome === 'found') return TIMINGS.answerMs;
  return outcome === 'none' ? TIMINGS.noneMs : TIMINGS.failedMs;
}

function octetsOf(answer: DnsAnswer<AnyRecord>): number {
  if (answer.outcome !== 'found') return 0;
  return answer.records.reduce(
    (sum, record) => sum + (typeof record === 'string' ? record.length : record.exchange.length + 8),
    0,
  );
}

/** Limits the DNS look-ups for one message. Implements the resolver interface that mailauth expects. */
import type { DnsAnswer } from '../../net/dns.ts';
import type { AnyRecord, CachedDns, RecordType } from './cached-dns.ts';
import { within } from '../../concurrency/within.ts';
import { LIMITS } from './limits.ts';
import { TIMINGS } from './timings.ts';

/** A resolver function of mailauth. Its declared type only covers texts, but for MX mailauth reads `exchange` and `priority`. */
export type Lookup = (name: string, type: string) => Promise<string[][] | string[]>;

const TYPES: ReadonlySet<string> = new Set<RecordType>(['A', 'AAAA', 'CNAME', 'MX', 'PTR', 'TXT']);
const NO_TIME = { outcome: 'failed', reason: 'no time left' } as const;
/** The maximum length of a DKIM key record, in characters: the key in base64, plus 400 for the tags. */
const MAX_KEY_RECORD = (LIMITS.maxKeyBits / 6) * 1.1 + 400;

/** The time and the number of look-ups that one message may use. */
export class LookupBudget {
  readonly #dns: CachedDns;
  readonly #endMs = performance.now() + TIMINGS.lookupsMs;

  constructor(dns: CachedDns) {
    this.#dns = dns;
  }

  /** The promise never rejects. After the time limit, the answer is `failed`. */
  ask(name: string, type: RecordType): Promise<DnsAnswer<AnyRecord>> {
    const leftMs = this.leftMs();
    if (leftMs <= 0) return Promise.resolve(NO_TIME);
    return within<DnsAnswer<AnyRecord>>(leftMs, this.#dns.ask(name, type), NO_TIME);
  }

  leftMs(): number {
    return this.#endMs - performance.now();
  }

  /**
   * Returns a resolver function that allows at most `most` look-ups, and fails like those of `node:dns`. Each check gets its own function,
   * so that no check can use up the look-ups of another.
   */
  lookups(most: number): Lookup {
    let left = most;
    return async (name, type) => {
      if (left-- <= 0) throw codedError('ETIMEOUT', `more than ${most} look-ups`);
      if (!TYPES.has(type)) throw codedError('ENODATA', type);
      const answer = await this.ask(name, type as RecordType);
      if (answer.outcome === 'none') throw codedError(answer.nameExists ? 'ENODATA' : 'ENOTFOUND', name);
      // Every DNS failure counts as temporary. Attack: a server that is made to answer REFUSED must not make a check fail permanently.
      if (answer.outcome === 'failed') throw codedError('ETIMEOUT', answer.reason);
      if (type === 'TXT') return textsOf(name, answer.records as readonly string[]);
      return [...(answer.records as readonly string[])];
    };
  }
}

/** @throws if the key record is longer than `MAX_KEY_RECORD` */
function textsOf(name: string, records: readonly string[]): string[][] {
  const isKey = name.toLowerCase().includes('._domainkey.');
  if (isKey && (records[0]?.length ?? 0) > MAX_KEY_RECORD)
    throw codedError('EINVALIDVAL', 'the key is too long');
  return records.map((record) => [record]);
}

function codedError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

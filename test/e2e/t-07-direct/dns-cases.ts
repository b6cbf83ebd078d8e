/** DNS records of domains, and the outcome of an email to each domain. */
import type { DnsZone } from '../../support/dns-server.ts';

/** The address of `well.test`, a server that accepts all mail. */
export const WELL = '127.1.0.1';

export interface DnsCase {
  /** Part of the test's name, after "an email to a domain that". */
  name: string;
  domain: string;
  records: DnsZone;
  fate: string;
  /** The reason in the event's response; null if the email is delivered. */
  words: string | null;
}

const NO_ROUTE = 'failed, no_route';
const WAITS = 'deferred, and the domain waits';

export const DNS_CASES: readonly DnsCase[] = [
  {
    name: 'does not exist',
    domain: 'missing.test',
    records: {},
    fate: 'failed, no_such_domain',
    words: 'The domain missing.test does not exist',
  },
  {
    name: 'accepts no mail (null MX)',
    domain: 'null.test',
    records: { 'null.test': { MX: ['0 .'], A: [WELL] } },
    fate: NO_ROUTE,
    words: 'The domain null.test accepts no mail (null MX)',
  },
  {
    name: 'names this service as its best mail host',
    domain: 'circle.test',
    records: { 'circle.test': { MX: ['10 mx.sender.test', '20 well.test'] } },
    fate: NO_ROUTE,
    words: 'The best MX of circle.test is this server, which does not accept mail for it',
  },
  {
    name: 'names a host without an address',
    domain: 'addressless.test',
    records: {
      'addressless.test': { MX: ['10 mx.addressless.test'] },
      'mx.addressless.test': { TXT: ['nothing'] },
    },
    fate: NO_ROUTE,
    words: 'The host mx.addressless.test has no address',
  },
  {
    name: 'names a host that does not exist',
    domain: 'hostless.test',
    records: { 'hostless.test': { MX: ['10 mx.hostless.test'] } },
    fate: NO_ROUTE,
    words: 'The host mx.hostless.test has no address',
  },
  {
    name: 'has neither a host nor an address',
    domain: 'empty.test',
    records: { 'empty.test': { TXT: ['nothing'] } },
    fate: NO_ROUTE,
    words: 'The host empty.test has no address',
  },
  {
    name: 'is an alias in a loop',
    domain: 'loop.test',
    records: { 'loop.test': { CNAME: ['pool.test'] }, 'pool.test': { CNAME: ['loop.test'] } },
    fate: NO_ROUTE,
    words: 'The host loop.test has no address',
  },
  {
    name: 'cannot be looked up because its DNS server fails (SERVFAIL)',
    domain: 'servfail.test',
    records: { 'servfail.test': { fault: 'servfail' } },
    fate: WAITS,
    words: 'The MX records of servfail.test cannot be looked up: SERVFAIL',
  },
  {
    name: 'cannot be looked up because its DNS server refuses to answer',
    domain: 'refused.test',
    records: { 'refused.test': { fault: 'refused' } },
    fate: WAITS,
    words: 'The MX records of refused.test cannot be looked up: REFUSED',
  },
  {
    name: 'cannot be looked up because its DNS server does not answer',
    domain: 'silent.test',
    records: { 'silent.test': { fault: 'silent' } },
    fate: WAITS,
    words: 'The MX records of silent.test cannot be looked up: no answer',
  },
  {
    name: 'cannot be looked up because the response is truncated',
    domain: 'truncated.test',
    records: { 'truncated.test': { fault: 'truncated' } },
    fate: WAITS,
    words: 'The MX records of truncated.test cannot be looked up: no answer',
  },
  {
    name: 'names a host whose address cannot be looked up',
    domain: 'lame.test',
    records: { 'lame.test': { MX: ['10 mx.lame.test'] }, 'mx.lame.test': { fault: 'servfail' } },
    fate: WAITS,
    words: 'The addresses of mx.lame.test cannot be looked up: SERVFAIL',
  },
  {
    name: 'names such a host, and another one that works',
    domain: 'half.test',
    records: {
      'half.test': { MX: ['10 mx.half.test', '20 well.test'] },
      'mx.half.test': { fault: 'servfail' },
    },
    fate: 'delivered over TLS by well',
    words: null,
  },
  {
    name: 'is an alias of a domain that names its host',
    domain: 'alias.test',
    records: { 'alias.test': { CNAME: ['real.test'] }, 'real.test': { MX: ['10 well.test'] } },
    fate: 'delivered over TLS by well',
    words: null,
  },
  {
    name: 'names no mail host but has an address',
    domain: 'bare.test',
    records: { 'bare.test': { A: [WELL] } },
    fate: 'delivered over TLS by bare',
    words: null,
  },
  {
    name: 'is an address literal',
    domain: `[${WELL}]`,
    records: {},
    fate: 'delivered over TLS by 127',
    words: null,
  },
];

/** Domains and their DNS records (docs/contract.md, Domains). */
import { Type } from 'typebox';
import { EXAMPLE_IDS, Id, Nullable, Ref, Timestamp, Words } from './schema.ts';

const MAX_DOMAIN_LENGTH = 253;
const MAX_REGION_LENGTH = 64;

export const CreateDomain = Type.Object(
  {
    domain: Type.String({
      minLength: 1,
      maxLength: MAX_DOMAIN_LENGTH,
      description:
        'A domain name such as acme.example, not a public suffix. An internationalized name is returned as A-labels.',
    }),
    region: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_REGION_LENGTH,
        description: 'Stored and returned as provided.',
      }),
    ),
  },
  { $id: 'CreateDomain', additionalProperties: false, examples: [{ domain: 'acme.example' }] },
);
export type CreateDomain = Type.Static<typeof CreateDomain>;

const recordExample = {
  record: 'MAIL_FROM',
  type: 'MX',
  name: 'send.acme.example',
  host: 'send',
  value: 'mx.posthorn.example',
  ttl: 3_600,
  priority: 10,
  required: true,
  status: 'failed',
  found: ['10 mx.other.example'],
  error: 'The MX records at send.acme.example do not name mx.posthorn.example.',
};

export const DomainRecord = Type.Object(
  {
    record: Words(['DKIM', 'SPF', 'MAIL_FROM', 'DMARC', 'MX', 'CLIENT'], {
      description:
        'The purpose of the record. CLIENT, an addition to contract 0.3.0, lets mail apps find the servers; such records are listed once the domain has a mailbox or an alias.',
    }),
    type: Words(['TXT', 'MX', 'SRV', 'CNAME']),
    name: Type.String({ description: 'The full name at which to publish the record.' }),
    host: Type.String({ description: 'The name relative to the domain; @ is the domain itself.' }),
    value: Type.String({
      description:
        'For an SRV record: weight, port and target. A target of . means that the service is not offered.',
    }),
    ttl: Type.Integer({ minimum: 0, description: 'The suggested TTL, in seconds.' }),
    priority: Nullable(Type.Integer({ minimum: 0, description: 'The priority of an MX or SRV record.' })),
    required: Type.Boolean({ description: 'Whether the domain needs this record to be verified.' }),
    status: Words(['pending', 'verified', 'failed', 'temporary_failure'], {
      description:
        'pending: not checked yet. temporary_failure: the DNS query failed, and the flags are unchanged.',
    }),
    found: Type.Array(Type.String(), { description: 'The values found in DNS at the last check.' }),
    error: Nullable(Type.String({ description: 'The problem, and how to fix it.' })),
    rotation: Type.Optional(
      Words(['next', 'retiring'], {
        description:
          'Addition to contract 0.3.0. Present on the DKIM record of a key that does not sign, while keys are being rotated. next: publish it beside the other record; its key starts signing once the record is found. retiring: its key has just stopped signing; keep the record until keep_until.',
      }),
    ),
    keep_until: Type.Optional(Timestamp),
    wrong_term: Type.Optional(
      Type.String({
        description:
          'Addition to contract 0.3.0. The part of the value in DNS that is wrong, if it is known: a term of an SPF record, or a tag of a DKIM or DMARC record.',
      }),
    ),
    advice: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Addition to contract 0.3.0. Recommendations about a record that is verified.',
      }),
    ),
    fix_by: Type.Optional(
      Type.Unsafe<string>({
        ...Timestamp,
        description:
          'Addition to contract 0.3.0. Present on a record that is wrong, as advice says, but was verified before this server checked for that. It counts as verified until this time.',
      }),
    ),
  },
  { $id: 'DomainRecord', examples: [recordExample] },
);
export type DomainRecord = Type.Static<typeof DomainRecord>;

const example = {
  id: EXAMPLE_IDS.dom,
  domain: 'acme.example',
  region: null,
  is_hosted: false,
  status: 'pending',
  spf_verified: false,
  dkim_verified: false,
  mail_from_verified: false,
  dmarc_verified: false,
  records: [recordExample],
  created_at: '2026-11-20T15:04:05.123Z',
  verified_at: null,
  last_checked_at: '2026-11-20T15:09:41.007Z',
};

export const Domain = Type.Object(
  {
    id: Id('dom'),
    domain: Type.String({ description: 'In lower case; an internationalized name as A-labels.' }),
    region: Nullable(Type.String()),
    is_hosted: Type.Boolean({
      description: 'Whether this is the hosted domain, which every project can use.',
    }),
    status: Words(['pending', 'verified', 'failed', 'warning'], {
      description:
        'You can send from a domain in verified or warning. warning: the domain has lost required DNS records, and becomes pending after 72 hours. failed: the domain was pending for too long, and is now checked only when you request verification.',
    }),
    verified_by_hand: Type.Optional(
      Type.Boolean({
        description:
          'Addition to contract 0.3.0. Present and true if the operator marked the domain as verified without DNS, for testing. Never in production.',
      }),
    ),
    spf_verified: Type.Boolean(),
    dkim_verified: Type.Boolean(),
    mail_from_verified: Type.Boolean(),
    dmarc_verified: Type.Boolean({ description: 'DMARC is recommended, but not required for verification.' }),
    records: Type.Array(Ref(DomainRecord), { description: 'The DNS records to publish.' }),
    created_at: Timestamp,
    verified_at: Nullable(Timestamp),
    last_checked_at: Nullable(Timestamp),
  },
  { $id: 'Domain', examples: [example] },
);
export type Domain = Type.Static<typeof Domain>;

export const DomainList = Type.Object(
  { data: Type.Array(Ref(Domain), { description: 'The hosted domain first, then the oldest.' }) },
  { $id: 'DomainList', examples: [{ data: [example] }] },
);
export type DomainList = Type.Static<typeof DomainList>;

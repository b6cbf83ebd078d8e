/** Domains and their DNS records (docs/contract.md, Domains). */
import { Type } from 'typebox';
import { Id, Nullable, Ref, Timestamp, Words } from './schema.ts';

const MAX_DOMAIN_LENGTH = 253;
const MAX_REGION_LENGTH = 64;

export const CreateDomain = Type.Object(
  {
    domain: Type.String({
      minLength: 1,
      maxLength: MAX_DOMAIN_LENGTH,
      description:
        'A domain name such as acme.example, not a public suffix. An internationalised name is returned as A-labels.',
    }),
    region: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_REGION_LENGTH, description: 'Kept and returned as given.' }),
    ),
  },
  { $id: 'CreateDomain', additionalProperties: false, examples: [{ domain: 'acme.example' }] },
);
export type CreateDomain = Type.Static<typeof CreateDomain>;

export const DomainRecord = Type.Object(
  {
    record: Words(['DKIM', 'SPF', 'MAIL_FROM', 'DMARC', 'MX', 'CLIENT'], {
      description:
        'What it is for. CLIENT, an addition to the contract: mail apps find the servers by it. Such records are there once the domain has a mailbox or an alias.',
    }),
    type: Words(['TXT', 'MX', 'SRV', 'CNAME']),
    name: Type.String({ description: 'Where to publish it, in full.' }),
    host: Type.String({ description: 'The same relative to the domain; @ is the domain itself.' }),
    value: Type.String({
      description: 'For an SRV record: weight, port and target, which is . for what is not offered.',
    }),
    ttl: Type.Integer({ minimum: 0, description: 'A suggestion, in seconds.' }),
    priority: Nullable(Type.Integer({ minimum: 0, description: 'For an MX or SRV record.' })),
    required: Type.Boolean({ description: 'Whether the domain cannot be verified without it.' }),
    status: Words(['pending', 'verified', 'failed', 'temporary_failure'], {
      description:
        'pending: not checked yet. temporary_failure: DNS could not be asked, and the flags stay as they were.',
    }),
    found: Type.Array(Type.String(), { description: 'What DNS answered at the last check.' }),
    error: Nullable(Type.String({ description: 'What to do about it.' })),
    rotation: Type.Optional(
      Words(['next', 'retiring'], {
        description:
          'Addition to the contract. There at the DKIM record of a key that does not sign, while the key is being changed. next: publish it beside the other one; once it is seen, its key signs. retiring: its key signed until now; keep the record until keep_until.',
      }),
    ),
    keep_until: Type.Optional(Timestamp),
  },
  { $id: 'DomainRecord' },
);
export type DomainRecord = Type.Static<typeof DomainRecord>;

const example = {
  id: 'dom_01KAGK5RB3E2YQ4T7N9PZ6WX8V',
  domain: 'acme.example',
  region: null,
  is_hosted: false,
  status: 'pending',
  spf_verified: false,
  dkim_verified: false,
  mail_from_verified: false,
  dmarc_verified: false,
  records: [
    {
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
    },
  ],
  created_at: '2026-11-20T15:04:05.123Z',
  verified_at: null,
  last_checked_at: '2026-11-20T15:09:41.007Z',
};

export const Domain = Type.Object(
  {
    id: Id('dom'),
    domain: Type.String({ description: 'A-labels, lower case.' }),
    region: Nullable(Type.String()),
    is_hosted: Type.Boolean({ description: 'Whether it is the hosted domain, which every project has.' }),
    status: Words(['pending', 'verified', 'failed', 'warning'], {
      description:
        'A verified domain can be sent from, and so can one in warning: it has lost its records, and becomes pending after 72 hours. failed: it was pending for so long that it is checked only when verification is asked for.',
    }),
    verified_by_hand: Type.Optional(
      Type.Boolean({
        description:
          'Addition to the contract. There, and true, when it is verified only because the operator marked it, without DNS, for trying out. Never in production.',
      }),
    ),
    spf_verified: Type.Boolean(),
    dkim_verified: Type.Boolean(),
    mail_from_verified: Type.Boolean(),
    dmarc_verified: Type.Boolean({ description: 'A recommendation: a domain can be verified without it.' }),
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

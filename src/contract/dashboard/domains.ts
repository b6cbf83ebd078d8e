/** Domains as the dashboard shows them. */
import { Type } from 'typebox';
import { Domain } from '../domains.ts';
import { Nullable, Ref, Timestamp, Words } from '../schema.ts';

const ALIGNMENTS = ['relaxed', 'strict'] as const;
const DMARC_POLICIES = ['none', 'quarantine', 'reject'] as const;
const TRACKING_CHOICES = ['inherit', 'on', 'off'] as const;

const DmarcAdvice = Type.Object(
  {
    published: Nullable(Type.String({ description: 'The effective record, as published in DNS.' })),
    inherited_from: Nullable(
      Type.String({ description: 'The parent domain from which the policy is inherited.' }),
    ),
    policy: Nullable(
      Words(DMARC_POLICIES, { description: 'The action that receivers should take for forged mail.' }),
    ),
    reports_to: Type.Array(Type.String(), { description: 'The addresses in rua=.' }),
    dkim_alignment: Words(ALIGNMENTS),
    spf_alignment: Words(ALIGNMENTS),
    summary: Type.String({ description: 'A one-sentence explanation of the policy.' }),
    alignment: Type.String({
      description: 'Whether mail that this service sends is aligned, and through which mechanism.',
    }),
    advice: Type.Array(Type.String(), { description: 'The recommended steps, in order.' }),
    next: Nullable(
      Type.Object(
        { policy: Words(DMARC_POLICIES), name: Type.String(), value: Type.String() },
        { description: 'The record of the next stricter policy.' },
      ),
    ),
  },
  {
    description:
      "What the domain's DMARC policy does, and the next step. Null until the record has been looked up in DNS.",
  },
);
export type DmarcAdvice = Type.Static<typeof DmarcAdvice>;

const { records, ...shown } = Domain.properties;

const timing = {
  next_check_at: Nullable(
    Type.Unsafe<string>({ ...Timestamp, description: 'Null: no longer checked automatically.' }),
  ),
  warning_until: Nullable(
    Type.Unsafe<string>({
      ...Timestamp,
      description: 'For a domain in warning: mail can be sent from it until this time.',
    }),
  ),
  fix_by: Nullable(
    Type.Unsafe<string>({
      ...Timestamp,
      description:
        'If required records are wrong, but count as verified for a time: the first of these times (see fix_by of a record).',
    }),
  ),
};

export const DashboardDomainSummary = Type.Object(
  {
    ...shown,
    ...timing,
    is_rotating_dkim: Type.Boolean({
      description: 'Whether a DKIM key rotation is waiting for its DNS record.',
    }),
  },
  { $id: 'DashboardDomainSummary', description: 'A domain, without its records.' },
);
export type DashboardDomainSummary = Type.Static<typeof DashboardDomainSummary>;

export const DashboardDomainList = Type.Object(
  {
    data: Type.Array(Ref(DashboardDomainSummary), {
      description: 'The hosted domain first, then the oldest.',
    }),
  },
  { $id: 'DashboardDomainList' },
);
export type DashboardDomainList = Type.Static<typeof DashboardDomainList>;

export const DomainTrackingSettings = Type.Object(
  {
    opens: Words(TRACKING_CHOICES, { description: 'inherit: the setting of the project.' }),
    clicks: Words(TRACKING_CHOICES),
  },
  { $id: 'DomainTrackingSettings', additionalProperties: false },
);
export type DomainTrackingSettings = Type.Static<typeof DomainTrackingSettings>;

export const DashboardDomain = Type.Object(
  {
    ...shown,
    records,
    ...timing,
    organizational_domain: Type.String({
      description:
        'The registered domain, usually the name of the DNS zone: records are entered relative to it.',
    }),
    dns_provider: Nullable(
      Type.Object(
        {
          name: Type.String(),
          url: Nullable(Type.String({ description: "The provider's page for DNS records." })),
        },
        {
          description:
            'Hosts the DNS zone of the domain, according to the name servers that the last check found. Null: unknown.',
        },
      ),
    ),
    has_mailboxes: Type.Boolean({
      description: 'Whether the domain has mailboxes or aliases. Such a domain cannot be removed.',
    }),
    zone_file: Type.String({ description: 'The records as a zone file (RFC 1035); empty without records.' }),
    tracking: Ref(DomainTrackingSettings),
    project_tracking: Type.Object(
      { opens: Type.Boolean(), clicks: Type.Boolean() },
      { description: 'The values that `inherit` stands for.' },
    ),
    complaint_address: Nullable(
      Type.String({
        description:
          'The address to register with feedback loops for mail from this domain. Null: the operator registers the address.',
      }),
    ),
    mail: Type.Object(
      {
        accepted: Type.Boolean({ description: 'Whether mail from outside is accepted for the domain.' }),
        delivered_here: Type.Boolean({
          description:
            'Whether mail from this installation to the domain is delivered to local mailboxes. Otherwise it is sent through the provider.',
        }),
        reason: Type.String({ description: 'The reason, in a sentence or two.' }),
      },
      { description: 'Where mail for the domain is delivered, according to its claim and its MX records.' },
    ),
    dmarc: Nullable(DmarcAdvice),
  },
  { $id: 'DashboardDomain', description: 'A domain with the details of its page.' },
);
export type DashboardDomain = Type.Static<typeof DashboardDomain>;

/** Domains as the dashboard shows them. */
import { Type } from 'typebox';
import { Domain } from '../domains.ts';
import { Nullable, Ref, Timestamp, Words } from '../schema.ts';

const ALIGNMENTS = ['relaxed', 'strict'] as const;
const DMARC_POLICIES = ['none', 'quarantine', 'reject'] as const;
const TRACKING_CHOICES = ['inherit', 'on', 'off'] as const;

const DmarcAdvice = Type.Object(
  {
    published: Nullable(Type.String({ description: 'The record that counts, as DNS has it.' })),
    inherited_from: Nullable(Type.String({ description: 'The domain above whose policy it is.' })),
    policy: Nullable(
      Words(DMARC_POLICIES, { description: 'What receivers are asked to do with forgeries.' }),
    ),
    reports_to: Type.Array(Type.String(), { description: 'The addresses of rua=.' }),
    dkim_alignment: Words(ALIGNMENTS),
    spf_alignment: Words(ALIGNMENTS),
    summary: Type.String({ description: 'What the policy does, in a sentence.' }),
    alignment: Type.String({ description: 'Whether mail from here is aligned, and by what.' }),
    advice: Type.Array(Type.String(), { description: 'What to do, in the order to do it in.' }),
    next: Nullable(
      Type.Object(
        { policy: Words(DMARC_POLICIES), name: Type.String(), value: Type.String() },
        { description: 'The record of the next stricter policy.' },
      ),
    ),
  },
  {
    description:
      'What the DMARC policy of the domain does, and the next step. Null while DNS has not told of the record.',
  },
);
export type DmarcAdvice = Type.Static<typeof DmarcAdvice>;

const { records, ...shown } = Domain.properties;

const timing = {
  next_check_at: Nullable(
    Type.Unsafe<string>({ ...Timestamp, description: 'Null: not checked by itself any more.' }),
  ),
  warning_until: Nullable(
    Type.Unsafe<string>({
      ...Timestamp,
      description: 'Of a domain in warning: until then mail still goes out from it.',
    }),
  ),
};

export const DashboardDomainSummary = Type.Object(
  {
    ...shown,
    ...timing,
    is_rotating_dkim: Type.Boolean({ description: 'Whether the record of a next DKIM key is waited for.' }),
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
    opens: Words(TRACKING_CHOICES, { description: 'inherit: as the project has it.' }),
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
        'The name that was registered, mostly that of the zone: records are entered relative to it.',
    }),
    has_mailboxes: Type.Boolean({
      description: 'Or aliases: a domain that has some cannot be removed.',
    }),
    zone_file: Type.String({ description: 'The records as a zone file (RFC 1035); empty without records.' }),
    tracking: Ref(DomainTrackingSettings),
    project_tracking: Type.Object(
      { opens: Type.Boolean(), clicks: Type.Boolean() },
      { description: 'What `inherit` means.' },
    ),
    complaint_address: Nullable(
      Type.String({
        description:
          'To register at feedback loops, for mail from this domain. Null: the operator does that.',
      }),
    ),
    mail: Type.Object(
      {
        accepted: Type.Boolean({ description: 'Whether mail for the domain is accepted from outside.' }),
        delivered_here: Type.Boolean({
          description:
            'Whether mail that is sent from here to the domain is delivered here. If not, it goes to the provider.',
        }),
        reason: Type.String({ description: 'Why, in a sentence or two.' }),
      },
      { description: 'Where mail for the domain is delivered, by its claim and by what is known of its MX.' },
    ),
    dmarc: Nullable(DmarcAdvice),
  },
  { $id: 'DashboardDomain', description: 'A domain, with all that its page shows.' },
);
export type DashboardDomain = Type.Static<typeof DashboardDomain>;

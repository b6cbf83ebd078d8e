import { useId, useState } from 'react';
import type { DashboardDomain } from '../../../../src/contract/dashboard/domains.ts';
import type { DomainRecord } from '../../../../src/contract/domains.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { classes } from '../../../ui/classes.ts';
import { Copy } from '../../../ui/copy.tsx';
import { Select } from '../../../ui/field.tsx';
import { WarningIcon } from '../../../ui/icons.tsx';
import { Day } from './day.tsx';
import { compare, dataOf, type Difference, differenceOf, indexOfTerm, relativeTo } from './difference.ts';
import { ZoneFileDialog } from './zone-file-dialog.tsx';

const PURPOSES: Readonly<Record<DomainRecord['record'], { title: string; purpose: string }>> = {
  DKIM: { title: 'DKIM', purpose: 'Public key for verifying message signatures' },
  MAIL_FROM: { title: 'MAIL FROM', purpose: 'Return-Path domain' },
  SPF: { title: 'SPF', purpose: 'Servers that may send for the Return-Path domain' },
  DMARC: { title: 'DMARC', purpose: 'How receivers treat forged mail' },
  MX: {
    title: 'MX',
    purpose: 'Delivers mail to mailboxes here. Do not publish it if another provider receives your mail.',
  },
  CLIENT: { title: 'Mail apps', purpose: 'Lets mail apps find the servers' },
};

const DIFFERENCES: Readonly<Record<Difference, { words: string; tone: Tone }>> = {
  unasked: { words: 'Not checked yet', tone: 'quiet' },
  none: { words: 'Published', tone: 'good' },
  missing: { words: 'Missing', tone: 'bad' },
  other: { words: 'Wrong value', tone: 'bad' },
  extra: { words: 'Multiple records', tone: 'bad' },
  unknown: { words: 'DNS did not answer', tone: 'warn' },
};

/** @param zone the zone that record names are shown relative to; null for complete names */
export function Records({
  domain,
  zone,
  onZone,
}: {
  domain: DashboardDomain;
  zone: string | null;
  onZone(zone: string | null): void;
}) {
  const [isFileOpen, setFileOpen] = useState(false);
  const selectId = useId();
  const errors = domain.records.flatMap(({ error }) => error ?? []);
  const sharedErrors = [...new Set(errors.filter((error, at) => errors.indexOf(error) !== at))];
  const zones = [...new Set([domain.domain, domain.organizational_domain])];
  return (
    <Card
      title="Records"
      aside={
        <div className="flex flex-wrap items-center gap-2">
          <label htmlFor={selectId} className="text-sm text-muted">
            Show names
          </label>
          <Select
            id={selectId}
            className="max-w-64"
            value={zone ?? ''}
            onChange={({ target }) => onZone(target.value === '' ? null : target.value)}
          >
            <option value="">Full</option>
            {zones.map((name) => (
              <option key={name} value={name}>
                Relative to {name}
              </option>
            ))}
          </Select>
          <Button onClick={() => setFileOpen(true)}>Zone file</Button>
        </div>
      }
    >
      {domain.dns_provider != null && <Provider provider={domain.dns_provider} />}
      <p className="mb-3 max-w-2xl text-sm text-pretty text-muted">
        {zone === null
          ? 'If your DNS panel appends the domain, switch to relative names before you copy.'
          : `@ is ${zone} itself. If your panel expects full names, add a trailing dot.`}{' '}
        Enter long values in one piece; DNS panels split them as needed.
      </p>
      {sharedErrors.map((error) => (
        <div key={error} className="mb-4 rounded-md bg-sunken px-3 py-2 text-sm">
          <Warning>{error}</Warning>
        </div>
      ))}
      <ul className="grid grid-cols-[minmax(0,1fr)]">
        {domain.records.map((record) => (
          <RecordItem
            key={`${record.record} ${record.name}`}
            record={record}
            zone={zone}
            sharedErrors={sharedErrors}
          />
        ))}
      </ul>
      <ZoneFileDialog
        domain={domain.domain}
        text={domain.zone_file}
        isOpen={isFileOpen}
        onClose={() => setFileOpen(false)}
      />
    </Card>
  );
}

function Provider({ provider: { name, url } }: { provider: NonNullable<DashboardDomain['dns_provider']> }) {
  return (
    <p className="mb-1">
      DNS is hosted at {name}.{' '}
      {url !== null && (
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          className="text-accent underline underline-offset-2"
        >
          Open the DNS settings
        </a>
      )}
    </p>
  );
}

/** @param sharedErrors errors that several records share. The list shows these errors once, at the top */
function RecordItem({
  record,
  zone,
  sharedErrors,
}: {
  record: DomainRecord;
  zone: string | null;
  sharedErrors: readonly string[];
}) {
  const { title, purpose } = PURPOSES[record.record];
  const headingId = useId();
  const name = zone === null ? record.name : relativeTo(record.name, zone);
  return (
    <li
      aria-labelledby={headingId}
      className="grid grid-cols-[minmax(0,1fr)] gap-3 border-t border-line py-4 first:border-t-0 first:pt-0 last:pb-0"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h3 id={headingId}>{title}</h3>
        <Necessity record={record} />
        <span className="text-sm text-pretty text-muted">{purpose}</span>
        <span className="sm:ml-auto">
          <Verdict record={record} />
        </span>
      </div>
      {/* On a narrow screen the short cells share a line. */}
      <dl className="grid grid-cols-3 gap-x-4 gap-y-2 sm:grid-cols-[5rem_minmax(0,2fr)_minmax(0,3fr)_5rem_6rem]">
        <Cell label="Type" text={record.type} what={`type of ${title}`} />
        <Cell
          label="Name"
          text={name}
          what={`name of ${title}`}
          className="order-1 col-span-full sm:order-none sm:col-span-1"
        />
        <Cell
          label="Value"
          text={record.value}
          what={`value of ${title}`}
          className="order-1 col-span-full sm:order-none sm:col-span-1"
        />
        {record.priority !== null && (
          <Cell label="Priority" text={String(record.priority)} what={`priority of ${title}`} />
        )}
        <Cell label="TTL" text={String(record.ttl)} what={`TTL of ${title}`} className="sm:col-start-5" />
      </dl>
      <InDns record={record} sharedErrors={sharedErrors} />
    </li>
  );
}

function Necessity({ record: { required, rotation, keep_until: keepUntil } }: { record: DomainRecord }) {
  if (rotation === 'next') return <Badge tone="info">New key</Badge>;
  if (rotation === 'retiring')
    return (
      <Badge tone="warn">
        <span>
          Keep until <Day value={keepUntil ?? ''} />
        </span>
      </Badge>
    );
  return <Badge tone="quiet">{required ? 'Required' : 'Optional'}</Badge>;
}

/** The status of a record. A missing optional record is not shown as an error. */
function Verdict({ record }: { record: DomainRecord }) {
  const difference = differenceOf(record);
  const isAdvice = !record.required && record.rotation === undefined;
  if (record.fix_by !== undefined)
    return (
      <Badge tone="warn">
        <span>
          Fix by <Day value={record.fix_by} />
        </span>
      </Badge>
    );
  if (difference === 'missing' && record.rotation === 'next') return <Badge tone="warn">Not found yet</Badge>;
  if (difference === 'missing' && isAdvice) return <Badge tone="quiet">Not published</Badge>;
  const { words, tone } = DIFFERENCES[difference];
  return <Badge tone={isAdvice && tone === 'bad' ? 'warn' : tone}>{words}</Badge>;
}

interface CellProps {
  label: string;
  text: string;
  /** The name of the text, for the copy button's label. */
  what: string;
  className?: string;
}

function Cell({ label, text, what, className }: CellProps) {
  return (
    <div className={classes('grid min-w-0 content-start', className)}>
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="flex min-w-0 items-start gap-1">
        {/* Padding on a clamped element would reveal part of the next line. */}
        <span className="my-1.5 line-clamp-3 min-w-0 font-mono text-sm break-all sm:my-1" title={text}>
          {text}
        </span>
        <Copy text={text} what={`the ${what}`} className="-my-0.5" />
      </dd>
    </div>
  );
}

/** The record in DNS with the differences marked, and how to fix the record. */
function InDns({ record, sharedErrors }: { record: DomainRecord; sharedErrors: readonly string[] }) {
  const difference = differenceOf(record);
  const wanted = dataOf(record);
  const isSame = difference === 'none' && record.found.every((text) => text === wanted);
  // The list shows a shared error at the top, and the status already says that a record is missing.
  const isShownElsewhere = [...sharedErrors, `There is no ${record.type} record at ${record.name}.`].includes(
    record.error ?? '',
  );
  const error = isShownElsewhere ? null : record.error;
  const { advice = [], wrong_term: wrongTerm } = record;
  if (error === null && advice.length === 0 && (isSame || record.found.length === 0)) return null;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5 rounded-md bg-sunken px-3 py-2 text-sm">
      {record.found.length > 0 && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
          <p className="text-xs text-muted">DNS has</p>
          <ul className="grid grid-cols-[minmax(0,1fr)] gap-1">
            {record.found.map((text, at) => (
              // The index is the key, because two records may have the same text.
              // oxlint-disable-next-line react/no-array-index-key
              <li key={at} className="font-mono break-all">
                <Found text={text} wanted={wanted} wrongTerm={wrongTerm} isRight={difference === 'none'} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {error !== null && <Warning>{error}</Warning>}
      {advice.map((text) => (
        <Warning key={text}>{text}</Warning>
      ))}
      {difference === 'none' && !isSame && error === null && advice.length === 0 && (
        <p className="text-muted">The value differs from the one above, but works.</p>
      )}
    </div>
  );
}

function Warning({ children }: { children: string }) {
  return (
    <p className="flex gap-2 text-pretty">
      <WarningIcon className="mt-0.5 text-warn" />
      {children}
    </p>
  );
}

interface FoundProps {
  text: string;
  wanted: string;
  /** The part of the text that is wrong, if the server knows it. Otherwise the differences are marked. */
  wrongTerm: string | undefined;
  isRight: boolean;
}

function Found({ text, wanted, wrongTerm, isRight }: FoundProps) {
  const at = wrongTerm === undefined ? -1 : indexOfTerm(text, wrongTerm);
  if (wrongTerm !== undefined && at !== -1)
    return (
      <>
        {text.slice(0, at)}
        <mark className="rounded-sm bg-bad-soft text-bad">{wrongTerm}</mark>
        {text.slice(at + wrongTerm.length)}
      </>
    );
  if (isRight) return text;
  if (text === wanted)
    return (
      <>
        {text} <Badge tone="good">correct</Badge>
      </>
    );
  const { head, middle, tail } = compare(text, wanted);
  return (
    <>
      {head}
      {middle === '' ? (
        <mark className="rounded-sm bg-bad-soft px-1 font-sans text-bad">missing here</mark>
      ) : (
        <mark className="rounded-sm bg-bad-soft text-bad">{middle}</mark>
      )}
      {tail}
    </>
  );
}

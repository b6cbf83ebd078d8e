import type { ReactNode } from 'react';
import type { InspectedEmail } from '../../../../src/contract/dashboard/email.ts';
import { Badge, Status } from '../../../ui/badge.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Time } from '../../../ui/time.tsx';
import { local } from '../../../ui/times.ts';
import { EmailActions } from './email-actions.tsx';
import { isLater } from '../emails/is-later.ts';
import { EmailCommands } from './email-commands.tsx';

const SHOWN_ADDRESSES = 3;

export function EmailHeader({ email }: { email: InspectedEmail }) {
  const lists = [
    ['To', email.to],
    ['Cc', email.cc],
    ['Bcc', email.bcc],
  ] as const;
  const waits = isLater(email);
  return (
    <>
      <PageHeader
        title={email.subject.trim() === '' ? <span className="text-muted">No subject</span> : email.subject}
        status={<Status value={waits ? 'scheduled' : email.status} />}
        actions={
          <>
            <EmailCommands email={email} />
            <EmailActions email={email} />
          </>
        }
      />
      <dl className="mb-6 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 border-y border-line py-3 sm:grid-cols-[auto_minmax(0,1fr)_auto_minmax(0,1fr)] sm:gap-x-5">
        <Fact name="From">{email.from}</Fact>
        <Fact name="Accepted">
          <ExactTime value={email.created_at} />
        </Fact>
        {email.scheduled_at !== null && (
          <Fact name="Scheduled for">
            <ExactTime value={email.scheduled_at} />
          </Fact>
        )}
        {lists.map(([name, addresses]) =>
          addresses.length === 0 ? null : (
            <Fact key={name} name={name} copy={addresses.join(', ')}>
              {addresses.slice(0, SHOWN_ADDRESSES).join(', ')}
              {addresses.length > SHOWN_ADDRESSES && ` and ${addresses.length - SHOWN_ADDRESSES} more`}
            </Fact>
          ),
        )}
        {email.reply_to !== null && <Fact name="Reply-To">{email.reply_to}</Fact>}
        <Fact name="ID" copy={email.id}>
          <code className="font-mono text-sm">{email.id}</code>
        </Fact>
        {(email.tags.length > 0 || email.stream !== 'transactional') && (
          <Fact name="Tags">
            <span className="flex min-w-0 flex-wrap gap-1">
              {email.stream !== 'transactional' && <Badge tone="info">{email.stream}</Badge>}
              {email.tags.map((tag) => (
                <span key={tag} title={tag} className="inline-flex max-w-full">
                  <Badge>
                    <span className="truncate">{tag}</span>
                  </Badge>
                </span>
              ))}
            </span>
          </Fact>
        )}
      </dl>
    </>
  );
}

function ExactTime({ value }: { value: string }) {
  return (
    <>
      {local.exact(value)}{' '}
      <span className="text-muted">
        (<Time value={value} />)
      </span>
    </>
  );
}

function Fact({ name, copy, children }: { name: string; copy?: string; children: ReactNode }) {
  return (
    <>
      <dt className="flex min-h-8 max-w-20 items-center text-muted sm:max-w-none">{name}</dt>
      <dd className="flex min-h-8 min-w-0 items-center gap-1">
        <span className="min-w-0 wrap-anywhere">{children}</span>
        {copy !== undefined && <Copy text={copy} what={`“${name}”`} />}
      </dd>
    </>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';
import { bytes, number } from '../../../ui/amounts.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { useMay, useProject, useSession } from '../../shell/session.ts';
import { EmailsLink, isRetained } from '../emails/emails-link.tsx';
import { searchFor } from '../emails/query-text.ts';
import { Limit } from './limit.tsx';
import { MailboxUsages } from './mailboxes.tsx';
import { utc } from '../../../ui/times.ts';

const REFRESH_MS = 60_000;

export default function UsagePage() {
  const { id: project } = useProject();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery({
    queryKey: ['usage', project],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/usage', { params: { path: { project } }, signal })),
    refetchInterval: REFRESH_MS,
  });
  if (data === undefined)
    return (
      <>
        <PageHeader title="Usage" />
        <NotLoaded title="Could not load the usage" error={error} refetch={refetch} />
      </>
    );
  const next = `${utc.dayMonth(data.month.until)}, 00:00 UTC`;
  return (
    <>
      <PageHeader
        title="Usage"
        status={
          <Badge tone={data.plan === 'free' ? 'quiet' : 'info'}>
            {data.plan === 'free' ? 'Free' : 'Paid'}
          </Badge>
        }
        description={<Plan month={next} />}
      />
      <div className="grid gap-4 lg:grid-cols-2">
        <Limit
          title="Emails this month"
          amount={data.emails}
          days={data.days.map(({ day, emails }) => {
            const counted = { since: `${day}T00:00Z`, until: dayAfter(day) };
            const isOpen = emails > 0 && isRetained(counted, data.retained_since);
            const onOpen = () => void navigate({ to: '/emails', search: { q: searchFor(counted) } });
            return { day, value: emails, ...(isOpen && { onOpen }) };
          })}
          used={
            <EmailsLink
              value={data.emails.used}
              counts={{ since: data.month.from }}
              retainedSince={data.retained_since}
            >
              {number(data.emails.used)}
            </EmailsLink>
          }
          unit={['email', 'emails']}
          isSum
          show={number}
          over={`Over the limit, POST /v1/emails returns 429 quota-exceeded with Retry-After, and SMTP replies 452, until ${next}. Emails already accepted are still sent.`}
        >
          Each email counts once, regardless of recipients or outcome. The emails of each day are in{' '}
          <Link to="/metrics" search={{ range: '30d' }} className="text-accent underline">
            Metrics
          </Link>
          .
        </Limit>
        <Limit
          title="Messages from mailboxes this month"
          amount={data.mailbox_emails}
          days={data.days.map(({ day, mailbox_emails: value }) => ({ day, value }))}
          unit={['message', 'messages']}
          isSum
          show={number}
          over={`Over the limit, SMTP replies 452 4.7.1 to mail apps until ${next}.`}
        >
          For all mailboxes together. A mailbox can also have its own daily limit.
        </Limit>
        <Limit
          title="Storage"
          amount={data.storage_bytes}
          days={data.days.map(({ day, storage_bytes: value }) => ({ day, value }))}
          unit={['kept', 'kept']}
          show={bytes}
          over="Over the limit, emails are rejected with 422 on html and text, and mailboxes receive no more mail."
        >
          Stored email contents and the mail in mailboxes.
        </Limit>
        <Limit
          title="Mailboxes"
          amount={data.mailboxes}
          days={data.days.map(({ day, mailboxes: value }) => ({ day, value }))}
          unit={['mailbox', 'mailboxes']}
          show={number}
          over="At the limit, creating another one returns 422 plan-limit-exceeded."
        />
        <Limit
          title="Custom domains"
          amount={data.own_domains}
          days={data.days.map(({ day, own_domains: value }) => ({ day, value }))}
          unit={['domain', 'domains']}
          show={number}
          over="At the limit, adding another one returns 422 plan-limit-exceeded."
        >
          The hosted domain does not count.
        </Limit>
        <Limit
          title="Shared files"
          amount={data.file_link_bytes}
          days={data.days.map(({ day, file_link_bytes: value }) => ({ day, value }))}
          unit={['live', 'live']}
          show={bytes}
          over="Over the limit, new uploads are rejected before they start. The error names the largest links of the mailbox, so that its owner can revoke some."
        >
          Files sent as links that can still be downloaded. They do not count towards storage.{' '}
          <Link to="/file-links" className="text-accent underline">
            File links
          </Link>
        </Limit>
        <Card title="File size">
          <p>
            <span className="text-2xl font-semibold">{bytes(data.file_bytes)}</span>{' '}
            <span className="text-muted">per file, in messages from mailboxes</span>
          </p>
          <p className="mt-3 text-sm text-pretty text-muted">
            Messages with a larger file are rejected with 552 5.3.4. The web client sends larger files as
            links.
          </p>
        </Card>
      </div>
      <MailboxUsages project={project} />
    </>
  );
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString();
}

/** Shows when the month ends, and which users can change the plan. */
function Plan({ month }: { month: string }) {
  const { user } = useSession();
  const mayChange = useMay('admin') && user.is_operator;
  return (
    <>
      Emails are counted per calendar month. The next one begins on {month}.{' '}
      {mayChange ? (
        <Link to="/settings" className="text-accent underline">
          Change plan
        </Link>
      ) : (
        'Only operators of this installation can change the plan.'
      )}
    </>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';
import { bytes, number } from '../../../ui/amounts.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { useMay, useProject, useSession } from '../../shell/session.ts';
import { Limit } from './limit.tsx';
import { MailboxUsages } from './mailboxes.tsx';

const REFRESH_MS = 60_000;
const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', timeZone: 'UTC' });

export default function UsagePage() {
  const { id: project } = useProject();
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
        <NotLoaded title="The usage cannot be shown" error={error} refetch={refetch} />
      </>
    );
  const next = `${DAY.format(new Date(data.month.until))}, 00:00 UTC`;
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
          days={data.days.map(({ day, emails }) => ({ day, value: emails }))}
          unit={['email', 'emails']}
          isSum
          show={number}
          over={`Over the limit POST /v1/emails answers 429 quota-exceeded, with Retry-After, and SMTP 452, until ${next}. Nothing is lost: what was accepted goes out.`}
        >
          An email counts once, whatever its recipients and its end.
        </Limit>
        <Limit
          title="Messages from mailboxes this month"
          amount={data.mailbox_emails}
          days={data.days.map(({ day, mailbox_emails: value }) => ({ day, value }))}
          unit={['message', 'messages']}
          isSum
          show={number}
          over={`Over the limit mail apps are told 452 4.7.1, with the time: ${next}.`}
        >
          Of all mailboxes together. Each mailbox may have a limit of a day of its own.
        </Limit>
        <Limit
          title="Storage"
          amount={data.storage_bytes}
          days={data.days.map(({ day, storage_bytes: value }) => ({ day, value }))}
          unit={['kept', 'kept']}
          show={bytes}
          over="Over the limit an email is refused with 422 on html and text, and mailboxes take no more mail."
        >
          What emails say, for as long as it is kept, and the mail in mailboxes.
        </Limit>
        <Limit
          title="Mailboxes"
          amount={data.mailboxes}
          days={data.days.map(({ day, mailboxes: value }) => ({ day, value }))}
          unit={['mailbox', 'mailboxes']}
          show={number}
          over="One more is refused with 422 plan-limit-exceeded."
        />
        <Limit
          title="Own domains"
          amount={data.own_domains}
          days={data.days.map(({ day, own_domains: value }) => ({ day, value }))}
          unit={['domain', 'domains']}
          show={number}
          over="One more is refused with 422 plan-limit-exceeded."
        >
          The domain of this service does not count.
        </Limit>
        <Limit
          title="Files of links"
          amount={data.file_link_bytes}
          days={data.days.map(({ day, file_link_bytes: value }) => ({ day, value }))}
          unit={['live', 'live']}
          show={bytes}
          over="Over the limit a further upload is refused before it begins, with what to revoke."
        >
          What went out as a link and can still be downloaded, beside the storage.{' '}
          <Link to="/file-links" className="text-accent underline">
            File links
          </Link>
        </Limit>
        <Card title="Files">
          <p>
            <span className="text-2xl font-semibold">{bytes(data.file_bytes)}</span>{' '}
            <span className="text-muted">in a message from a mailbox</span>
          </p>
          <p className="mt-3 text-sm text-pretty text-muted">
            A message with a larger file is refused with 552 5.3.4. In the web client it goes out as a link.
          </p>
        </Card>
      </div>
      <MailboxUsages project={project} />
    </>
  );
}

/** When the month ends, and who can change the plan. */
function Plan({ month }: { month: string }) {
  const { user } = useSession();
  const mayChange = useMay('admin') && user.is_operator;
  return (
    <>
      Emails count by calendar months: the next one begins on {month}.{' '}
      {mayChange ? (
        <Link to="/settings" className="text-accent underline">
          Change the plan
        </Link>
      ) : (
        'Only operators of this installation change the plan.'
      )}
    </>
  );
}

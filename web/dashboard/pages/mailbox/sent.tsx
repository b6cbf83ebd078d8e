import { useQuery } from '@tanstack/react-query';
import { messageOf } from '../../../api/client.ts';
import { counted, number } from '../../../ui/amounts.ts';
import { Card } from '../../../ui/card.tsx';
import { Meter } from '../../../ui/meter.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { type MailboxRouteKey, sendingQuery } from '../mailboxes/queries.ts';

/** The number of emails that the mailbox sends, compared with its daily limit. */
export function Sent({ of: key }: { of: MailboxRouteKey }) {
  const { data, error } = useQuery(sendingQuery(key));
  return (
    <Card title="Sent">
      {error !== null && data === undefined && <p className="text-muted">{messageOf(error)}</p>}
      {error === null && data === undefined && <Skeleton className="h-12 w-full" />}
      {data !== undefined && (
        <>
          <Day {...data} />
          <p className="mt-3 text-sm text-muted">{counted(data.month_emails, 'email')} this month (UTC)</p>
        </>
      )}
    </Card>
  );
}

function Day({
  day_recipients: sent,
  daily_send_limit: limit,
}: {
  day_recipients: number;
  daily_send_limit: number | null;
}) {
  const words =
    limit === null
      ? `${counted(sent, 'recipient')} in the last 24 hours`
      : `${number(sent)} of ${counted(limit, 'recipient')} in the last 24 hours`;
  return (
    <div className="grid gap-1.5">
      <span className="text-sm text-muted">{words}</span>
      {limit !== null && <Meter label={words} value={sent / limit} />}
    </div>
  );
}

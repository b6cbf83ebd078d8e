import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';
import { local } from '../../../ui/times.ts';
import { shortDate } from '../../reading/dates.ts';
import { SEARCH } from '../../reading/folders.ts';
import { useMailbox } from '../../shell/session.ts';

const SHOWN = 8;

/** The newest conversations that a search finds. */
export function RecentMail({ q }: { q: string }) {
  const { mailbox, address } = useMailbox();
  const { data, error, refetch } = useQuery({
    queryKey: ['recent-mail', mailbox, q],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/mailboxes/{mailbox}/search', {
          params: { path: { mailbox }, query: { q, limit: SHOWN } },
          signal,
        }),
      ),
  });
  if (data === undefined)
    return <NotLoaded title="Could not load the mail" error={error} refetch={refetch} rows={3} />;
  if (data.data.length === 0) return <p className="py-2 text-muted">There is no mail with this person.</p>;
  return (
    <ul aria-label="Recent mail" className="border-t border-line">
      {data.data.map((row) => (
        <li key={row.id} className="border-b border-line">
          <Link
            to="/$address/$folder/$conversation"
            params={{ address, folder: SEARCH, conversation: row.id }}
            search={{ q }}
            className="flex min-h-11 items-baseline gap-3 px-1 py-2 hover:bg-hover"
          >
            <span className="min-w-0 flex-1 truncate">
              <bdi className={row.unread > 0 ? 'font-semibold' : 'font-medium'}>
                {row.subject === '' ? 'No subject' : row.subject}
              </bdi>{' '}
              <bdi className="text-muted">{row.preview}</bdi>
            </span>
            <time
              dateTime={row.newest_at}
              title={local.exact(row.newest_at)}
              className="shrink-0 text-xs text-muted"
            >
              {shortDate(row.newest_at)}
            </time>
          </Link>
        </li>
      ))}
    </ul>
  );
}

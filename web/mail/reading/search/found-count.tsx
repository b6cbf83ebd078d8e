import { useQuery } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import { counted, number } from '../../../ui/amounts.ts';
import { useMailbox } from '../../shell/session.ts';

/** The number of conversations that a search finds. The service counts up to a limit. */
export default function FoundCount({ q }: { q: string }) {
  const { mailbox } = useMailbox();
  const { data } = useQuery({
    queryKey: ['found-count', mailbox, q],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/mailboxes/{mailbox}/search/count', { params: { path: { mailbox }, query: { q } }, signal }),
      ),
    staleTime: 10_000,
  });
  return (
    <span role="status" className="truncate text-xs text-muted tabular-nums">
      {data !== undefined &&
        (data.is_exact
          ? counted(data.count, 'result')
          : data.count > 0 && `${number(data.count)} or more results`)}
    </span>
  );
}

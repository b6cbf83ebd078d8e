import { useQuery } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { useProject } from '../../shell/session.ts';
import type { useLog } from './use-log.ts';

/** The service counts only if the user has not typed for this long. */
const PAUSE_MS = 300;

interface Total {
  emails: number;
  /** Whether there may be more. */
  isMore: boolean;
}

/**
 * The number of emails in the list, including those that are not loaded. The service counts only the emails after the first page, so a
 * new email is never counted twice. Null while the number is unknown.
 */
export function useTotal(q: string, log: ReturnType<typeof useLog>): Total | null {
  const { id: project } = useProject();
  const { hasMore, count, head, added } = log;
  const isOfOther = log.isOld || log.fault !== undefined;
  const { next_cursor: cursor } = head;
  const { data } = useQuery({
    queryKey: ['email-count', project, q, cursor],
    enabled: hasMore && !isOfOther && cursor !== null,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    async queryFn({ signal }) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      return dataOf(
        api.GET('/projects/{project}/emails/count', {
          params: {
            path: { project },
            query: { ...(q !== '' && { q }), ...(cursor !== null && { cursor }) },
          },
          signal,
        }),
      );
    },
  });
  if (!hasMore) return { emails: count, isMore: !log.isComplete };
  if (data === undefined || isOfOther) return null;
  if (data.is_more) return { emails: Math.max(data.emails, count), isMore: true };
  return { emails: Math.max(added + head.data.length + data.emails, count), isMore: false };
}

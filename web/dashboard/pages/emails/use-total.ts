import { useQuery } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { EmailCount } from '../../../../src/contract/dashboard/email-log.ts';
import { useProject } from '../../shell/session.ts';
import type { useLog } from './use-log.ts';

/** The service counts only if the user has not typed for this long. */
const PAUSE_MS = 300;
/** In a busy project the first page is replaced every few seconds. */
const RECOUNT_MS = 10_000;

interface Counted extends EmailCount {
  /** The cursor that the count began at. */
  cursor: string | null;
  /** How many emails were before the cursor. */
  before: number;
}

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
  const { data } = useQuery<Counted>({
    queryKey: ['email-count', project, q],
    enabled: hasMore && !isOfOther && cursor !== null,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) =>
      state.data !== undefined && isFinal(state.data, cursor) ? false : RECOUNT_MS,
    async queryFn({ signal }): Promise<Counted> {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const counted = await dataOf(
        api.GET('/projects/{project}/emails/count', {
          params: {
            path: { project },
            query: { ...(q !== '' && { q }), ...(cursor !== null && { cursor }) },
          },
          signal,
        }),
      );
      return { ...counted, cursor, before: head.data.length };
    },
  });
  if (!hasMore) return { emails: count, isMore: !log.isComplete };
  if (data === undefined || isOfOther) return null;
  if (data.is_more) return { emails: Math.max(data.emails, count), isMore: true };
  // If the first page was replaced by a newer one, there are more emails than were counted.
  const isMore = data.cursor !== cursor;
  const counted = data.before + data.emails;
  return { emails: Math.max(isMore ? counted : counted + added, count), isMore };
}

/** Whether another count would tell nothing new. A count of 0 with more is unknown: the service was busy with another one. */
function isFinal(counted: Counted, cursor: string | null): boolean {
  return counted.is_more ? counted.emails > 0 : counted.cursor === cursor;
}

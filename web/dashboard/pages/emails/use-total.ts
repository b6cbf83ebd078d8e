import { useQuery } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { EmailCount } from '../../../../src/contract/dashboard/email-log.ts';
import { useProject } from '../../shell/session.ts';
import { countsRecipients } from './query-text.ts';
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

export interface Total {
  emails: number;
  /** The recipients that match a search for their outcome or provider. Null if unknown, and for other searches. */
  recipients: number | null;
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
  const isOfRecipients = countsRecipients(q);
  // Recipients are counted in all emails, because the list does not contain them.
  const cursor = isOfRecipients ? null : head.next_cursor;
  // Emails that were added to the list after the count have recipients that were not counted.
  const agrees = ({ emails, is_more }: EmailCount) => hasMore || (emails === count && !is_more);
  const { data } = useQuery<Counted>({
    queryKey: ['email-count', project, q],
    enabled: !isOfOther && (isOfRecipients ? count > 0 : hasMore && cursor !== null),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) =>
      state.data !== undefined && isFinal(state.data, cursor) && (!isOfRecipients || agrees(state.data))
        ? false
        : RECOUNT_MS,
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
      return { ...counted, cursor, before: isOfRecipients ? 0 : head.data.length };
    },
  });
  // A count whose time was over may not have reached all emails of the list.
  const hasReached = data !== undefined && (!data.is_more || data.emails >= count);
  const recipients = hasReached && !isOfOther && agrees(data) ? data.recipients : null;
  if (!hasMore) return { emails: count, recipients, isMore: !log.isComplete };
  if (data === undefined || isOfOther) return null;
  if (data.is_more) return { emails: Math.max(data.emails, count), recipients, isMore: true };
  // If the first page was replaced by a newer one, there are more emails than were counted.
  const isMore = data.cursor !== cursor;
  const counted = data.before + data.emails;
  // The count of recipients is of all emails, also of those that were added.
  const later = isMore || isOfRecipients ? 0 : added;
  return { emails: Math.max(counted + later, count), recipients, isMore };
}

/** Whether another count would tell nothing new. A count of 0 with more is unknown: the service was busy with another one. */
function isFinal(counted: Counted, cursor: string | null): boolean {
  return counted.is_more ? counted.emails > 0 : counted.cursor === cursor;
}

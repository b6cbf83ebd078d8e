import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toast } from '../../../ui/toast.tsx';
import { filingQuery, type MailboxKey } from '../mailboxes/queries.ts';

/** A change of what becomes of the mail; what is shown is asked for anew. @param done what to say */
export function useFilingChange<Given>(
  key: MailboxKey,
  change: (given: Given) => Promise<unknown>,
  done: string | null,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    async onSuccess() {
      if (done !== null) toast(done);
      await queries.invalidateQueries({ queryKey: filingQuery(key).queryKey });
    },
  });
}

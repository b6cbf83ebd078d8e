import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { toast } from '../ui/toast.tsx';

/**
 * A change of a setting; what is shown is asked for anew.
 * @param changed what is another one then
 * @param done what to say; null: the page shows it
 */
export function useChange<Given = void, Result = unknown>(
  changed: QueryKey,
  change: (given: Given) => Promise<Result>,
  done: string | null,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    async onSuccess() {
      if (done !== null) toast(done);
      await queries.invalidateQueries({ queryKey: changed });
    },
  });
}

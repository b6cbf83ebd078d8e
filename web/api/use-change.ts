import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { toast } from '../ui/toast.tsx';

/**
 * Changes a setting and reloads the data that the change affects.
 * @param changed the query keys that the change affects
 * @param done the message to show; null if the page shows the result
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

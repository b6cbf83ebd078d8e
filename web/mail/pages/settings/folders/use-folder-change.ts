import { useQueryClient } from '@tanstack/react-query';
import { useMailbox } from '../../../shell/session.ts';
import { ownFoldersQuery } from '../queries.ts';
import { useChange } from '../../../../api/use-change.ts';

/** Changes folders, then reloads the folders for the menu and the settings. */
export function useFolderChange(change: () => Promise<unknown>, done: string | null) {
  const { mailbox } = useMailbox();
  const queries = useQueryClient();
  return useChange(
    ownFoldersQuery(mailbox).queryKey,
    async () => {
      await change();
      void queries.invalidateQueries({ queryKey: ['folders', mailbox] });
    },
    done,
  );
}

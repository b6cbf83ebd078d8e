import { useQuery, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import type { MailboxRule } from '../../../../../src/contract/mailbox-filing.ts';
import { Rules } from '../../../../filters/rules.tsx';
import { useFolders } from '../../../reading/folders.ts';
import { useMailbox } from '../../../shell/session.ts';
import { SettingsPart } from '../part.tsx';

export default function RulesPage() {
  const { mailbox } = useMailbox();
  const queries = useQueryClient();
  const folders = useFolders() ?? [];
  const path = { mailbox };
  const queryKey = ['rules', mailbox];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => dataOf(api.GET('/mailboxes/{mailbox}/rules', { params: { path }, signal })),
    select: ({ data }) => data,
  });
  return (
    <Rules
      frame={SettingsPart}
      query={query}
      calls={{
        queryKey,
        add: (body) => dataOf(api.POST('/mailboxes/{mailbox}/rules', { params: { path }, body })),
        replace: (id, body) =>
          dataOf(api.PUT('/mailboxes/{mailbox}/rules/{id}', { params: { path: { mailbox, id } }, body })),
        change: (id, body) =>
          dataOf(api.PATCH('/mailboxes/{mailbox}/rules/{id}', { params: { path: { mailbox, id } }, body })),
        remove: (id) =>
          dataOf(api.DELETE('/mailboxes/{mailbox}/rules/{id}', { params: { path: { mailbox, id } } })),
        show: (data) => queries.setQueryData<{ data: MailboxRule[] }>(queryKey, { data }),
      }}
      folders={folders.map((folder) => folder.path)}
    />
  );
}

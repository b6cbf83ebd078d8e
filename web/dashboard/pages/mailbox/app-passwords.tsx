import { useQuery, useQueryClient } from '@tanstack/react-query';
import { AppPasswords } from '../../../account/app-passwords.tsx';
import type { AppPasswordCalls } from '../../../account/calls.ts';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { useMay } from '../../shell/session.ts';
import { appPasswordsQuery, type MailboxKey } from '../mailboxes/queries.ts';

export function MailboxAppPasswords({ of: key, address }: { of: MailboxKey; address: string }) {
  const isAdmin = useMay('admin');
  const queries = useQueryClient();
  const calls: AppPasswordCalls = {
    create: (body) =>
      dataOf(
        api.POST('/projects/{project}/mailboxes/{id}/app-passwords', { params: { path: { ...key } }, body }),
      ),
    revoke: (part) =>
      dataOf(
        api.DELETE('/projects/{project}/mailboxes/{id}/app-passwords/{part}', {
          params: { path: { ...key, part } },
        }),
      ),
    settle: () => queries.invalidateQueries({ queryKey: appPasswordsQuery(key).queryKey }),
  };
  return (
    <AppPasswords address={address} list={useQuery(appPasswordsQuery(key))} calls={isAdmin ? calls : null}>
      For one mail app each, so that a lost phone is shut out alone. They never open the web client.
    </AppPasswords>
  );
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { AppPasswords } from '../../../../account/app-passwords.tsx';
import type { AppPasswordCalls } from '../../../../account/calls.ts';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { useMailbox } from '../../../shell/session.ts';
import { appPasswordsQuery } from './queries.ts';

export function OwnAppPasswords() {
  const { mailbox, address } = useMailbox();
  const queries = useQueryClient();
  const calls: AppPasswordCalls = {
    create: (body) =>
      dataOf(api.POST('/mailboxes/{mailbox}/app-passwords', { params: { path: { mailbox } }, body })),
    revoke: (id) =>
      dataOf(api.DELETE('/mailboxes/{mailbox}/app-passwords/{id}', { params: { path: { mailbox, id } } })),
    settle: () => queries.invalidateQueries({ queryKey: appPasswordsQuery(mailbox).queryKey }),
  };
  return (
    <AppPasswords address={address} list={useQuery(appPasswordsQuery(mailbox))} calls={calls}>
      One for each mail app, so that a lost phone is shut out alone. They never open this web client.{' '}
      <a href="/mail/setup" className="font-medium text-accent hover:underline">
        How to set up a mail app
      </a>
    </AppPasswords>
  );
}

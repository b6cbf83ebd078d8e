import type { FactorCalls } from '../../../../account/calls.ts';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { queryClient } from '../../../../api/query-client.ts';
import { accountQuery } from './queries.ts';

export function factorCallsOf(mailbox: string): FactorCalls {
  const params = { path: { mailbox } };
  const withId = (id: string) => ({ path: { mailbox, id } });
  return {
    startApp: () => dataOf(api.POST('/mailboxes/{mailbox}/authenticator-app', { params })),
    confirmApp: (body) =>
      dataOf(api.POST('/mailboxes/{mailbox}/authenticator-app/confirmation', { params, body })),
    removeApp: () => dataOf(api.DELETE('/mailboxes/{mailbox}/authenticator-app', { params })),
    makeCodes: () => dataOf(api.POST('/mailboxes/{mailbox}/recovery-codes', { params })),
    startPasskey: () => dataOf(api.POST('/mailboxes/{mailbox}/passkeys/question', { params })),
    addPasskey: (body) => dataOf(api.POST('/mailboxes/{mailbox}/passkeys', { params, body })),
    renamePasskey: (id, name) =>
      dataOf(api.PATCH('/mailboxes/{mailbox}/passkeys/{id}', { params: withId(id), body: { name } })),
    removePasskey: (id) => dataOf(api.DELETE('/mailboxes/{mailbox}/passkeys/{id}', { params: withId(id) })),
    settle: () => queryClient.invalidateQueries({ queryKey: accountQuery(mailbox).queryKey }),
  };
}

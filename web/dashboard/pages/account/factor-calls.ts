import type { FactorCalls } from '../../../account/calls.ts';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { queryClient } from '../../../api/query-client.ts';
import { accountQuery } from '../../shell/session.ts';

export const FACTOR_CALLS: FactorCalls = {
  startApp: () => dataOf(api.POST('/user/authenticator-app')),
  confirmApp: (body) => dataOf(api.POST('/user/authenticator-app/confirmation', { body })),
  removeApp: () => dataOf(api.DELETE('/user/authenticator-app')),
  makeCodes: () => dataOf(api.POST('/user/recovery-codes')),
  startPasskey: () => dataOf(api.POST('/user/passkeys/question')),
  addPasskey: (body) => dataOf(api.POST('/user/passkeys', { body })),
  renamePasskey: (id, name) =>
    dataOf(api.PATCH('/user/passkeys/{id}', { params: { path: { id } }, body: { name } })),
  removePasskey: (id) => dataOf(api.DELETE('/user/passkeys/{id}', { params: { path: { id } } })),
  settle: () => queryClient.invalidateQueries({ queryKey: accountQuery.queryKey }),
};

/** Queries about the people that a mailbox knows. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { ApiProblem, dataOf } from '../../api/client.ts';
import { api } from '../../api/mail.ts';
import { queryClient } from '../../api/query-client.ts';
import type { Contact, ContactList } from '../../../src/contract/mail/contacts.ts';

const PAGE = 100;
/** While the service still reads mail for addresses, the list is requested again after this time. */
const REFRESH_MS = 1_000;

export function peopleQuery(mailbox: string, q: string) {
  return infiniteQueryOptions({
    queryKey: ['people', mailbox, q],
    queryFn: ({ signal, pageParam }) =>
      dataOf(
        api.GET('/mailboxes/{mailbox}/contacts', {
          params: { path: { mailbox }, query: { at: pageParam, limit: PAGE, ...(q !== '' && { q }) } },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: (last: ContactList, _, at: number) =>
      last.data.length < PAGE ? null : at + last.data.length,
    refetchInterval: ({ state }) => (state.data?.pages[0]?.is_complete === false ? REFRESH_MS : false),
  });
}

/** The person with an address. Null: the mailbox does not know the address. */
export function personQuery(mailbox: string, address: string) {
  return queryOptions({
    queryKey: ['people', mailbox, 'person', address.toLowerCase()],
    queryFn: async ({ signal }): Promise<Contact | null> => {
      try {
        return await dataOf(
          api.GET('/mailboxes/{mailbox}/contact', {
            params: { path: { mailbox }, query: { address } },
            signal,
          }),
        );
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return null;
        throw error;
      }
    },
  });
}

/** Requests the people again after a change, also those that the composer suggests. */
export async function refreshPeople(mailbox: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['people', mailbox] }),
    queryClient.invalidateQueries({ queryKey: ['mail-addresses', mailbox] }),
  ]);
}

/** The search for all mail from and to an address. */
export function mailWith(address: string): string {
  return `"${address.replaceAll('"', '')}"`;
}

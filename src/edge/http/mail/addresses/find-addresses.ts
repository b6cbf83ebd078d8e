import { AddressQuery, KnownAddresses } from '../../../../contract/mail/addresses.ts';
import { mailOperation } from '../operation.ts';

export const findAddresses = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/addresses',
  query: AddressQuery,
  summary: 'Whom a message may be for',
  description:
    'Those that the mailbox wrote to before, and where the project shows it to its mailboxes, the people of its directory.',
  success: { status: 200, description: 'The likeliest first.', body: KnownAddresses },
  run: async ({ services, mailbox, query }): Promise<KnownAddresses> => ({
    data: await services.findPeople(mailbox, query.q),
  }),
});

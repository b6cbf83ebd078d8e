import { MAIL_COMPONENTS } from '../../../contract/mail/components.ts';
import { browserDocument } from '../browser/document.ts';
import { isOfMailbox } from './operation.ts';
import { MAIL_OPERATIONS } from './operations.ts';

/** The OpenAPI document of the web client. */
export function mailDocument() {
  return browserDocument({
    title: 'Posthorn web client',
    description: 'For the pages of the web client alone: it changes with them.',
    prefix: '/mail/api',
    cookie: '__Host-posthorn_mail_<mailbox>',
    operations: MAIL_OPERATIONS,
    components: MAIL_COMPONENTS,
    access: (operation) =>
      (operation.signed === true
        ? 'For who has the address.'
        : isOfMailbox(operation)
          ? 'For who is signed in to the mailbox.'
          : 'For anyone.') + (operation.confirms === true ? ' Asks again who is there.' : ''),
    refusals: (operation) => [
      ...(isOfMailbox(operation) && operation.signed !== true ? (['not-signed-in'] as const) : []),
      ...(operation.confirms === true ? (['confirmation-required'] as const) : []),
    ],
  });
}

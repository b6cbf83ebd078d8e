import { MAIL_COMPONENTS } from '../../../contract/mail/components.ts';
import { browserDocument } from '../browser/document.ts';
import { isOfMailbox } from './operation.ts';
import { MAIL_OPERATIONS } from './operations.ts';

export function mailDocument() {
  return browserDocument({
    title: 'Posthorn web client',
    description: "Internal to the web client's pages: it changes with them, without notice.",
    prefix: '/mail/api',
    cookie: '__Host-posthorn_mail_<mailbox>',
    operations: MAIL_OPERATIONS,
    components: MAIL_COMPONENTS,
    access: (operation) =>
      (operation.signed === true
        ? 'Access by signed URL.'
        : isOfMailbox(operation)
          ? `For users signed in to the mailbox${operation.member === undefined ? '' : `, and members with the access ${operation.member}`}.`
          : 'For anyone.') +
      (operation.needsConfirmation === true ? ' Requires a recent confirmation of identity.' : ''),
    refusals: (operation) => [
      ...(isOfMailbox(operation) && operation.signed !== true
        ? (['not-signed-in', 'missing-role'] as const)
        : []),
      ...(operation.needsConfirmation === true ? (['confirmation-required'] as const) : []),
    ],
  });
}

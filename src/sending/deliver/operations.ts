/** Operations on queued emails. `run.ts` implements them. */
import { declare } from '../../contract/operation.ts';

const EMAIL = { name: 'email', prefix: 'em' } as const;

export const DELIVERY_OPERATIONS = {
  sendEmailNow: declare({
    summary: 'Send an email now that waits for its time',
    description: '400 when it waits for no time.',
    success: { status: 204, description: 'It is due.' },
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/emails/{id}/send-now',
        role: 'developer',
        resource: EMAIL,
      },
    },
  }),
  cancelEmail: declare({
    summary: 'Take back what of an email is not sent yet',
    description:
      'Each recipient that was not begun is failed with reason cancelled. 400 when nothing can be cancelled, and why.',
    success: { status: 204, description: 'Cancelled.' },
    doors: {
      dashboard: { route: 'POST /projects/{project}/emails/{id}/cancel', role: 'developer', resource: EMAIL },
    },
  }),
  retryEmail: declare({
    summary: 'Try an email again that failed with reason internal',
    description: '400 when no recipient of it did, or its body was deleted.',
    success: { status: 204, description: 'It is on the queue again.' },
    doors: {
      dashboard: { route: 'POST /projects/{project}/emails/{id}/retry', role: 'developer', resource: EMAIL },
    },
  }),
};

/** Operations on queued emails. `run.ts` implements them. */
import { declare } from '../../contract/operation.ts';

const EMAIL = { name: 'email', prefix: 'em' } as const;

export const DELIVERY_OPERATIONS = {
  sendEmailNow: declare({
    summary: 'Send a scheduled email now',
    description: '400 if the email is not waiting for its scheduled time.',
    success: { status: 204, description: 'The email is due.' },
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/emails/{id}/send-now',
        role: 'developer',
        resource: EMAIL,
      },
    },
  }),
  tryEmailNow: declare({
    summary: 'Try the deferred recipients of an email now',
    description:
      '400 if no recipient can be tried now: each one is done, is being sent to, was tried within the last ten seconds or too often, or waits for a destination. 429 after 100 tries of a project within an hour.',
    success: { status: 204, description: 'The recipients are due.' },
    errors: ['rate-limited'],
    doors: {
      dashboard: { route: 'POST /projects/{project}/emails/{id}/try', role: 'developer', resource: EMAIL },
    },
  }),
  cancelEmail: declare({
    summary: 'Cancel an email',
    description:
      'Recipients whose delivery has not started fail with reason cancelled. If nothing can be cancelled, returns 400 with the reason.',
    success: { status: 204, description: 'Cancelled.' },
    doors: {
      dashboard: { route: 'POST /projects/{project}/emails/{id}/cancel', role: 'developer', resource: EMAIL },
    },
  }),
  retryEmail: declare({
    summary: 'Retry an email that failed with reason internal',
    description: '400 if no recipient failed with that reason, or the body was deleted.',
    success: { status: 204, description: 'The email is queued again.' },
    doors: {
      dashboard: { route: 'POST /projects/{project}/emails/{id}/retry', role: 'developer', resource: EMAIL },
    },
  }),
};

/** Operations on one email as people look at it. `run.ts` implements them. */
import { EmailContent, InspectedEmail } from '../contract/dashboard/email.ts';
import { EmailDetail } from '../contract/emails.ts';
import { declare } from '../contract/operation.ts';

const EMAIL = { name: 'email', prefix: 'em' } as const;

export const INSPECT_OPERATIONS = {
  getInspectedEmail: declare({
    summary: 'Show an email with its timeline, its dialogues and what webhooks were told',
    success: { status: 200, description: 'The email, without what it says.', body: InspectedEmail },
    doors: {
      dashboard: { route: 'GET /projects/{project}/emails/{id}', role: 'viewer', resource: EMAIL },
    },
  }),
  getEmailContent: declare({
    summary: 'Show what an email says, with its header, links and checks',
    description: 'Not to viewers who may not see bodies. `bad-request`: the bodies were deleted.',
    success: { status: 200, description: 'The content.', body: EmailContent },
    doors: {
      dashboard: { route: 'GET /projects/{project}/emails/{id}/content', role: 'viewer', resource: EMAIL },
    },
  }),
  cancelAndShowEmail: declare({
    summary: 'Cancel an email that is not sent yet',
    description:
      'Addition to the contract. Takes back what waits: an email that is scheduled, queued or deferred. Each recipient that was not begun is failed with reason cancelled; who has it keeps it. 400 when it is being sent or is over: then nothing has changed. To cancel again changes nothing.',
    success: { status: 200, description: 'The email, cancelled.', body: EmailDetail },
    doors: {
      api: {
        id: 'cancelEmail',
        route: 'POST /emails/{id}/cancel',
        scope: 'emails:send',
        twin: 'cancelEmail',
      },
    },
  }),
};

/** Operations on one email for the dashboard. `run.ts` implements them. */
import {
  ComposeEmail,
  EmailContent,
  InspectedEmail,
  PreviewQuery,
  SendAgain,
  SentAgain,
} from '../contract/dashboard/email.ts';
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
  getEmailPreview: declare({
    summary: 'Show an email as its recipient sees it',
    description:
      'A document for a frame, with a policy of its own: nothing in it runs or leads anywhere, and it counts as no open. Not to viewers who may not see bodies.',
    query: PreviewQuery,
    success: { status: 200, description: 'The document.', media: 'text/html' },
    raw: true,
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/emails/{id}/preview',
        role: 'viewer',
        resource: { name: 'email', prefix: 'em' },
      },
    },
  }),
  getEmailSource: declare({
    summary: 'Download the message of an email',
    description: 'As `posthorn email raw` prints it. Not to viewers who may not see bodies.',
    success: { status: 200, description: 'The message.', media: 'message/rfc822' },
    errors: ['domain-not-verified'],
    raw: true,
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/emails/{id}/source',
        role: 'viewer',
        resource: { name: 'email', prefix: 'em' },
      },
    },
  }),
  sendEmailAgain: declare({
    summary: 'Send what an email said once more, as a new email',
    description:
      'To the same recipients, by the rules of today: verified domain, suppressions, plan and tracking. Opens and clicks of the new email are counted apart.',
    body: SendAgain,
    success: { status: 202, description: 'Queued.', body: SentAgain },
    errors: ['domain-not-verified', 'plan-limit-exceeded', 'quota-exceeded'],
    raw: true,
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/emails/{id}/send-again',
        role: 'developer',
        resource: { name: 'email', prefix: 'em' },
      },
    },
  }),
  composeEmail: declare({
    summary: 'Send an email that somebody wrote here',
    description: 'As sendEmail of the API, with the rights of an API key that has full access.',
    body: ComposeEmail,
    success: { status: 202, description: 'Queued.', body: SentAgain },
    errors: ['domain-not-verified', 'idempotency-key-reused', 'plan-limit-exceeded', 'quota-exceeded'],
    raw: true,
    doors: { dashboard: { route: 'POST /projects/{project}/emails', role: 'developer', confirms: true } },
  }),
  sendTestEmail: declare({
    summary: 'Send a test email to oneself',
    description:
      'From the hosted domain to the address of whoever asks, with a text that says what it is. It is an email of the project like any other: plan, suppressions and tracking hold for it.',
    body: SendAgain,
    success: { status: 202, description: 'Queued.', body: SentAgain },
    errors: ['plan-limit-exceeded', 'quota-exceeded'],
    raw: true,
    doors: { dashboard: { route: 'POST /projects/{project}/test-email', role: 'developer' } },
  }),
};

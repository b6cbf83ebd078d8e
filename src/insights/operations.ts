/** Operations on one email for the dashboard. `run.ts` implements them. */
import {
  ComposeEmail,
  EmailContent,
  EmailFileQuery,
  InspectedEmail,
  PreviewQuery,
  SendAgain,
  SentAgain,
} from '../contract/dashboard/email.ts';
import { LastTemplateEmail } from '../contract/dashboard/templates.ts';
import { CANCELLED_EMAIL, EmailDetail } from '../contract/emails.ts';
import { declare } from '../contract/operation.ts';

const EMAIL = { name: 'email', prefix: 'em' } as const;

export const INSPECT_OPERATIONS = {
  getInspectedEmail: declare({
    summary: 'Get an email with its timeline, SMTP dialogues and webhook deliveries',
    success: { status: 200, description: 'The email, without its content.', body: InspectedEmail },
    doors: {
      dashboard: { route: 'GET /projects/{project}/emails/{id}', role: 'viewer', resource: EMAIL },
    },
  }),
  getEmailContent: declare({
    summary: 'Get the content of an email, with its header, links and checks',
    description: 'Viewers need access to email bodies. `bad-request`: the bodies were deleted.',
    success: { status: 200, description: 'The content.', body: EmailContent },
    doors: {
      dashboard: { route: 'GET /projects/{project}/emails/{id}/content', role: 'viewer', resource: EMAIL },
    },
  }),
  getLastTemplateEmail: declare({
    summary: 'Fill the draft of a template with the values of the last email that was sent with the template',
    description:
      'Stores nothing. The values are stored as long as the bodies of the email. Viewers need access to email bodies.',
    success: {
      status: 200,
      description: 'The email, and the result for the draft.',
      body: LastTemplateEmail,
    },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/templates/{id}/last-email',
        role: 'viewer',
        resource: { name: 'template', prefix: 'tpl' },
      },
    },
  }),
  cancelAndShowEmail: declare({
    summary: 'Cancel an email that has not been sent',
    description:
      'Addition to contract 0.3.0. Cancels an email that is scheduled, queued or deferred. Recipients whose delivery has not begun fail with reason cancelled; recipients who already received it keep it. Returns 400 and changes nothing if the email is being sent or is finished. Cancelling again changes nothing.',
    success: {
      status: 200,
      description: 'The email, cancelled.',
      body: EmailDetail,
      example: CANCELLED_EMAIL,
    },
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
    summary: 'Preview an email as its recipient sees it',
    description:
      'A document for a frame, with its own content security policy: it runs no scripts, its links do nothing, and it does not count as an open. Viewers need access to email bodies.',
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
    description: 'The output of `posthorn email raw`. Viewers need access to email bodies.',
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
  getEmailFile: declare({
    summary: 'Download a file of an email that was submitted over SMTP',
    description:
      'The bytes without a type, so that no browser opens the file by itself. Viewers need access to email bodies.',
    query: EmailFileQuery,
    success: { status: 200, description: 'The bytes.', media: 'application/octet-stream' },
    raw: true,
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/emails/{id}/file',
        role: 'viewer',
        resource: { name: 'email', prefix: 'em' },
      },
    },
  }),
  sendEmailAgain: declare({
    summary: 'Send the content of an email again, as a new email',
    description:
      'To the same recipients, with the current rules: verified domain, suppressions, plan and tracking. Opens and clicks of the new email are counted separately.',
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
    summary: 'Send an email written in the dashboard',
    description: 'Like sendEmail of the API, with the rights of an API key with full access.',
    body: ComposeEmail,
    success: { status: 202, description: 'Queued.', body: SentAgain },
    errors: ['domain-not-verified', 'idempotency-key-reused', 'plan-limit-exceeded', 'quota-exceeded'],
    raw: true,
    doors: {
      dashboard: { route: 'POST /projects/{project}/emails', role: 'developer', needsConfirmation: true },
    },
  }),
  sendTestEmail: declare({
    summary: 'Send a test email to yourself',
    description:
      'Sends an email from the hosted domain to your own address, with a text that says it is a test. Plan, suppressions and tracking apply as to any other email.',
    body: SendAgain,
    success: { status: 202, description: 'Queued.', body: SentAgain },
    errors: ['plan-limit-exceeded', 'quota-exceeded'],
    raw: true,
    doors: { dashboard: { route: 'POST /projects/{project}/test-email', role: 'developer' } },
  }),
};

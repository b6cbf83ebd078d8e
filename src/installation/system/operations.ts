/** Operations on the installation, for its operators (docs/operate/system.md). `run.ts` implements them. */
import { OperatorMail, OperatorMessage } from '../../contract/dashboard/operator-mail.ts';
import { RequireSignIn } from '../../contract/dashboard/organizations.ts';
import { QueuedRecipientPage, QueuedRecipientsQuery } from '../../contract/dashboard/queued-recipients.ts';
import {
  DestinationOrder,
  Doctor,
  LogLevel,
  QueueQuery,
  RaiseLogLevel,
  SystemCertificates,
  SystemChangeList,
  SystemChangesQuery,
  SystemProcesses,
  SystemQueue,
  SystemStatements,
  SystemStorage,
  SystemVersions,
  Withdrawn,
} from '../../contract/dashboard/system.ts';
import { TlsResultPage, TlsResultsQuery } from '../../contract/dashboard/tls-results.ts';
import { declare } from '../../contract/operation.ts';

export const SYSTEM_OPERATIONS = {
  getDoctor: declare({
    summary: 'Get the doctor results of this machine',
    description: 'If they are older than five minutes, the checks run again.',
    success: { status: 200, description: 'The last results.', body: Doctor },
    doors: {
      dashboard: { route: 'GET /system/doctor', role: 'operator' },
    },
  }),
  runDoctor: declare({
    summary: 'Run the doctor checks again',
    success: { status: 202, description: 'The checks are running.', body: Doctor },
    doors: {
      dashboard: { route: 'POST /system/doctor', role: 'operator' },
    },
  }),
  getSystemQueue: declare({
    summary: 'Show the queue by destination',
    query: QueueQuery,
    success: { status: 200, description: 'The queue.', body: SystemQueue },
    doors: {
      dashboard: { route: 'GET /system/queue', role: 'operator' },
    },
  }),
  listQueuedRecipients: declare({
    summary: 'List the recipients in the queue, without their addresses',
    query: QueuedRecipientsQuery,
    success: { status: 200, description: 'A page of the recipients.', body: QueuedRecipientPage },
    doors: {
      dashboard: { route: 'GET /system/queue/recipients', role: 'operator' },
    },
  }),
  pauseQueue: declare({
    summary: 'Pause sending and webhooks',
    success: { status: 204, description: 'Sending is paused.' },
    doors: {
      dashboard: { route: 'POST /system/queue/pause', role: 'operator' },
    },
  }),
  resumeQueue: declare({
    summary: 'Resume sending and webhooks',
    success: { status: 204, description: 'Sending is resumed.' },
    doors: {
      dashboard: { route: 'POST /system/queue/resume', role: 'operator' },
    },
  }),
  withdrawQueue: declare({
    summary: 'Withdraw mail that was accepted before the pause',
    description: 'Withdraws for at most ten seconds. Repeat the request until `is_done` is true.',
    success: { status: 200, description: 'The number of withdrawn recipients.', body: Withdrawn },
    errors: ['bad-request'],
    doors: {
      dashboard: { route: 'POST /system/queue/withdraw', role: 'operator', needsConfirmation: true },
    },
  }),
  holdDestination: declare({
    summary: 'Pause a destination until it is resumed',
    body: DestinationOrder,
    success: { status: 204, description: 'The destination is paused.' },
    doors: {
      dashboard: { route: 'POST /system/destinations/hold', role: 'operator' },
    },
  }),
  resumeDestination: declare({
    summary: 'Resume a paused destination',
    body: DestinationOrder,
    success: { status: 204, description: 'The destination is not paused.' },
    doors: {
      dashboard: { route: 'POST /system/destinations/resume', role: 'operator' },
    },
  }),
  tryDestination: declare({
    summary: 'Retry a closed destination, and deferred mail to it, now',
    body: DestinationOrder,
    success: {
      status: 204,
      description:
        'If mail is waiting, a worker retries the destination, with up to 10,000 deferred recipients.',
    },
    errors: ['bad-request'],
    doors: {
      dashboard: { route: 'POST /system/destinations/try', role: 'operator' },
    },
  }),
  listProcesses: declare({
    summary: 'List the processes of all machines',
    success: { status: 200, description: 'The processes.', body: SystemProcesses },
    doors: {
      dashboard: { route: 'GET /system/processes', role: 'operator' },
    },
  }),
  getStorage: declare({
    summary: 'Get the use of disk space',
    success: { status: 200, description: 'The use of space.', body: SystemStorage },
    doors: {
      dashboard: { route: 'GET /system/storage', role: 'operator' },
    },
  }),
  listStatements: declare({
    summary: 'List the database statements that take the most time',
    success: { status: 200, description: 'The statements.', body: SystemStatements },
    doors: {
      dashboard: { route: 'GET /system/statements', role: 'operator' },
    },
  }),
  listCertificates: declare({
    summary: 'List the certificates of TLS ports',
    success: { status: 200, description: 'The certificates.', body: SystemCertificates },
    doors: {
      dashboard: { route: 'GET /system/certificates', role: 'operator' },
    },
  }),
  listTlsResults: declare({
    summary: "List TLS results with recipients' servers",
    query: TlsResultsQuery,
    success: { status: 200, description: 'A page of the results.', body: TlsResultPage },
    doors: {
      dashboard: { route: 'GET /system/tls-results', role: 'operator' },
    },
  }),
  getLogLevel: declare({
    summary: 'Get the log level',
    success: { status: 200, description: 'The level.', body: LogLevel },
    doors: {
      dashboard: { route: 'GET /system/log-level', role: 'operator' },
    },
  }),
  raiseLogLevel: declare({
    summary: 'Raise the log level of all processes for a while',
    body: RaiseLogLevel,
    success: { status: 200, description: 'The level.', body: LogLevel },
    doors: {
      dashboard: { route: 'PUT /system/log-level', role: 'operator' },
    },
  }),
  resetLogLevel: declare({
    summary: 'Reset the log level to the settings',
    success: { status: 204, description: 'All processes apply it within seconds.' },
    doors: {
      dashboard: { route: 'DELETE /system/log-level', role: 'operator' },
    },
  }),
  getOperatorSignIn: declare({
    summary: 'Get the sign-in requirement for operators',
    success: { status: 200, description: 'The requirement.', body: RequireSignIn },
    doors: {
      dashboard: { route: 'GET /system/required-sign-in', role: 'operator' },
    },
  }),
  getVersions: declare({
    summary: 'Get the running versions and the migrations of the database',
    success: { status: 200, description: 'The versions.', body: SystemVersions },
    doors: {
      dashboard: { route: 'GET /system/versions', role: 'operator' },
    },
  }),
  listOperatorMail: declare({
    summary: 'List mail to postmaster and abuse that no mailbox receives',
    success: { status: 200, description: 'The messages.', body: OperatorMail },
    doors: {
      dashboard: { route: 'GET /system/operator-mail', role: 'operator' },
    },
  }),
  getOperatorMessage: declare({
    summary: 'Show a message to the operators as plain text',
    success: { status: 200, description: 'The message.', body: OperatorMessage },
    doors: {
      dashboard: {
        route: 'GET /system/operator-mail/{id}',
        role: 'operator',
        resource: { name: 'message', prefix: 'opm' },
      },
    },
  }),
  deleteOperatorMessage: declare({
    summary: 'Delete a message to the operators',
    success: { status: 204, description: 'The message is deleted.' },
    doors: {
      dashboard: {
        route: 'DELETE /system/operator-mail/{id}',
        role: 'operator',
        resource: { name: 'message', prefix: 'opm' },
      },
    },
  }),
  listSystemChanges: declare({
    summary: 'List the changes by operators',
    query: SystemChangesQuery,
    success: { status: 200, description: 'A page of the changes.', body: SystemChangeList },
    doors: {
      dashboard: { route: 'GET /system/changes', role: 'operator' },
    },
  }),
  getRawOperatorMessage: declare({
    summary: 'Download a message to the operators',
    description: 'Sent as a file, so that a browser does not display it.',
    success: {
      status: 200,
      description: 'The message as it was received.',
      media: 'application/octet-stream',
    },
    raw: true,
    doors: {
      dashboard: {
        route: 'GET /system/operator-mail/{id}/raw',
        role: 'operator',
        resource: { name: 'message', prefix: 'opm' },
      },
    },
  }),
  requireOperatorSignIn: declare({
    summary: 'Require a second factor or OpenID from operators',
    description:
      'Operators whose session does not meet the requirement cannot use System until they set it up. Your own session must meet it.',
    body: RequireSignIn,
    success: { status: 204, description: 'The requirement applies within two seconds.' },
    doors: {
      dashboard: { route: 'PUT /system/required-sign-in', role: 'operator', needsConfirmation: true },
    },
  }),
};

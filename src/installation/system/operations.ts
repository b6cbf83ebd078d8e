/** Operations on the installation, for its operators (docs/operate/system.md). `run.ts` implements them. */
import { OperatorMail, OperatorMessage } from '../../contract/dashboard/operator-mail.ts';
import { RequireSignIn } from '../../contract/dashboard/organizations.ts';
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
    summary: 'Tell what doctor finds on this machine',
    description: 'Where that is older than five minutes, the checks are made again.',
    success: { status: 200, description: 'What was found last.', body: Doctor },
    doors: {
      dashboard: { route: 'GET /system/doctor', role: 'operator' },
    },
  }),
  runDoctor: declare({
    summary: 'Make the checks of doctor again',
    success: { status: 202, description: 'They are under way.', body: Doctor },
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
  pauseQueue: declare({
    summary: 'Send nothing, and call no webhook',
    success: { status: 204, description: 'Sending is paused.' },
    doors: {
      dashboard: { route: 'POST /system/queue/pause', role: 'operator' },
    },
  }),
  resumeQueue: declare({
    summary: 'Send again',
    success: { status: 204, description: 'Sending goes on.' },
    doors: {
      dashboard: { route: 'POST /system/queue/resume', role: 'operator' },
    },
  }),
  withdrawQueue: declare({
    summary: 'Do not send what was accepted before the pause',
    description: 'For ten seconds at a time.',
    success: { status: 200, description: 'Those that go out no more.', body: Withdrawn },
    errors: ['bad-request'],
    doors: {
      dashboard: { route: 'POST /system/queue/withdraw', role: 'operator', confirms: true },
    },
  }),
  holdDestination: declare({
    summary: 'Send nothing to a destination until it is resumed',
    body: DestinationOrder,
    success: { status: 204, description: 'It is held.' },
    doors: {
      dashboard: { route: 'POST /system/destinations/hold', role: 'operator' },
    },
  }),
  resumeDestination: declare({
    summary: 'Send to a destination that was held',
    body: DestinationOrder,
    success: { status: 204, description: 'It is not held.' },
    doors: {
      dashboard: { route: 'POST /system/destinations/resume', role: 'operator' },
    },
  }),
  tryDestination: declare({
    summary: 'Try a destination that is closed, and what one has put off, at once',
    body: DestinationOrder,
    success: {
      status: 204,
      description: 'A worker tries it, where something waits for it: of what it put off, 10,000 recipients.',
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
    summary: 'Tell what takes space',
    success: { status: 200, description: 'The space.', body: SystemStorage },
    doors: {
      dashboard: { route: 'GET /system/storage', role: 'operator' },
    },
  }),
  listStatements: declare({
    summary: 'List the statements of the database that take the most time',
    success: { status: 200, description: 'The statements.', body: SystemStatements },
    doors: {
      dashboard: { route: 'GET /system/statements', role: 'operator' },
    },
  }),
  listCertificates: declare({
    summary: 'List what ports with TLS show',
    success: { status: 200, description: 'The certificates.', body: SystemCertificates },
    doors: {
      dashboard: { route: 'GET /system/certificates', role: 'operator' },
    },
  }),
  listTlsResults: declare({
    summary: "List how TLS went with the recipients' servers",
    query: TlsResultsQuery,
    success: { status: 200, description: 'A page of the results.', body: TlsResultPage },
    doors: {
      dashboard: { route: 'GET /system/tls-results', role: 'operator' },
    },
  }),
  getLogLevel: declare({
    summary: 'Tell what is logged',
    success: { status: 200, description: 'The level.', body: LogLevel },
    doors: {
      dashboard: { route: 'GET /system/log-level', role: 'operator' },
    },
  }),
  raiseLogLevel: declare({
    summary: 'Log more for a while, in all processes',
    body: RaiseLogLevel,
    success: { status: 200, description: 'The level.', body: LogLevel },
    doors: {
      dashboard: { route: 'PUT /system/log-level', role: 'operator' },
    },
  }),
  resetLogLevel: declare({
    summary: 'Log as much as the settings say',
    success: { status: 204, description: 'The processes do so within seconds.' },
    doors: {
      dashboard: { route: 'DELETE /system/log-level', role: 'operator' },
    },
  }),
  getOperatorSignIn: declare({
    summary: 'Get what is required of the sign-in of operators',
    success: { status: 200, description: 'The requirement.', body: RequireSignIn },
    doors: {
      dashboard: { route: 'GET /system/required-sign-in', role: 'operator' },
    },
  }),
  getVersions: declare({
    summary: 'Tell what runs, and what the database is made for',
    success: { status: 200, description: 'The versions.', body: SystemVersions },
    doors: {
      dashboard: { route: 'GET /system/versions', role: 'operator' },
    },
  }),
  listOperatorMail: declare({
    summary: 'List mail to postmaster and abuse that no mailbox gets',
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
    success: { status: 204, description: 'It is deleted.' },
    doors: {
      dashboard: {
        route: 'DELETE /system/operator-mail/{id}',
        role: 'operator',
        resource: { name: 'message', prefix: 'opm' },
      },
    },
  }),
  listSystemChanges: declare({
    summary: 'List what operators changed',
    query: SystemChangesQuery,
    success: { status: 200, description: 'A page of the changes.', body: SystemChangeList },
    doors: {
      dashboard: { route: 'GET /system/changes', role: 'operator' },
    },
  }),
  getRawOperatorMessage: declare({
    summary: 'Download a message to the operators',
    description: 'As a file: a browser shows nothing of it.',
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
    summary: 'Require a second factor or OpenID of the operators',
    description:
      'An operator whose session lacks it does not see System until they set it up. Your own session must have it.',
    body: RequireSignIn,
    success: { status: 204, description: 'It is required within two seconds.' },
    doors: { dashboard: { route: 'PUT /system/required-sign-in', role: 'operator', confirms: true } },
  }),
};

/**
 * The messages of the log. Each has a fixed text, so that operators can search for it. `docs/operate/logs.md` lists them with their
 * fields. No line contains a secret, a body, a subject, a header, an address, or text from other servers.
 */
export const LOG_MESSAGES = {
  // Sending an email
  accepted: 'email accepted',
  acceptedBefore: 'email accepted before',
  attempted: 'attempt ended',
  waiting: 'recipient waits for its destination',
  suppressed: 'recipient suppressed',
  notVerified: 'email not sent: its domain is no longer verified',
  recipientAbandoned: 'recipient abandoned',
  reported: 'report received',
  opened: 'email opened',
  clicked: 'link clicked',
  unsubscribed: 'recipient unsubscribed',
  webhookAttempted: 'webhook attempt ended',
  routeAttempted: 'route attempt ended',

  // Mail sent by mailboxes
  noticeFiled: 'notice filed',
  noticeDropped: 'notice dropped: it cannot be delivered',
  notSentLocked: 'message not sent: its mailbox is locked for sending',
  notSentLinkEnded: 'service email not sent: its link is no longer valid',
  sendingLocked: 'mailbox locked for sending',
  replayFailed: 'failed deliveries could not be scheduled again',
  sendingNotJudged: 'mailboxes could not be checked for rejected mail',
  noticesFailed: 'notices could not be filed',
  spoolFailed: 'a large message that is being received could not be stored',
  wakingFailed: 'a snoozed message could not be returned to its folder',
  sendingDraftFailed: 'a message from the web client could not be sent',

  downloadFailed: 'a download was aborted: its stored file is damaged',
  downloadNotCounted: 'the bytes of a download could not be counted',
  clamdSilent: 'ClamAV did not respond; files are scanned later',
  filesNotScanned: 'files of links could not be scanned',
  virusFound: 'a virus was found in a file of a link',

  // Incoming mail
  filed: 'message filed',
  routed: 'message stored for a route',
  routingFailed: 'an address could not be looked up',
  filingFailed: 'a message could not be filed',
  rulesFailed: 'the rules of a mailbox could not be applied',
  submitted: 'message submitted',
  submissionFailed: 'a submitted message could not be accepted',
  pop3Ended: 'POP3 session ended',
  pop3Failed: 'a POP3 command failed',
  imapCommandFailed: 'an IMAP command failed',

  proxyFault: 'a connection was closed: its PROXY header is missing, malformed or unexpected',

  // Signing in
  signedIn: 'signed in',
  signInRefused: 'sign-in refused',
  signInPutOff: 'sign-in deferred',
  openIdFailed: 'the OpenID provider could not be reached',
  accountMailFailed: 'an email to a user could not be created',
  serviceDomainCopied: 'the claim on the domain of POSTHORN_MAIL_FROM was copied to the installation',
  serviceDomainPending: 'the domain of POSTHORN_MAIL_FROM is not verified yet',
  serviceDomainUnverified: 'the domain of POSTHORN_MAIL_FROM is verified by no project',

  redirectedBehindProxy:
    'a page was redirected to https although a proxy forwarded it over https: if the proxy is yours, list it in POSTHORN_TRUSTED_PROXIES',

  // Processes
  starting: 'starting',
  ready: 'ready',
  databaseAwaited: 'waiting for the database',
  probesNotAnswered: 'probes are not answered while waiting for the database',
  databaseLost: 'the database connection was lost',
  databaseFound: 'the database connection was restored',
  stopping: 'stopping',
  stopped: 'stopped',

  // Problems that need attention
  triedAlone: 'email attempted alone after crashes',
  webhookDisabled: 'webhook disabled',
  certificateUnusable: 'the certificate cannot be used; the previous one stays in use',
  certificateObtained: 'a certificate was obtained',
  certificateNotObtained: 'a certificate could not be obtained',
  portOpened: 'a port was opened, now that a certificate is available',
  portNotOpened: 'a port could not be opened',
  linesLost: 'lines of the log were lost',
  notReady: 'not ready',
  readyAgain: 'ready again',
  clockWrong: 'the clock of this machine is wrong',
  clockRight: 'the clock of this machine is right again',
  processEnded: 'a process of the service ended',
  processNotStarted: 'a process of the service could not start',
  postgresEnded: 'the embedded PostgreSQL ended',
  postgresRunsAgain: 'the embedded PostgreSQL runs again',
  postgresNotStarted: 'the embedded PostgreSQL could not start',
  sendingPaused: 'sending is paused',
  sendingResumed: 'sending resumed',
  providerDisagrees: 'this process does not send mail: its provider does not match the installation',
  providerAgrees: 'the provider matches the installation again: mail is sent',

  // Mail from other servers
  rspamdSilent: 'rspamd did not respond; the built-in scorer is used',
  blocklistFails: 'a blocklist cannot be used; it does not count',
  indexingFailed: 'the words of a mailbox were not indexed; searches in it take longer until they are',

  // Upgrades
  schemaReady: 'the database has the schema that this version needs',
  migrationQueued: 'waiting: another instance is migrating the database, or a backup is running',
  migrationBegins: 'a migration started',
  migrationAgain: 'a migration is waiting for locks and will be retried',
  migrationDone: 'a migration finished',
  contractFailed: 'schema objects of older versions could not be removed',

  // Amazon SES
  sesAccount: 'Amazon SES account',
  sesRateUnknown: 'Amazon SES did not report the send rate',
  sesRefuses: 'Amazon SES does not accept mail',
  snsRefused: 'notifications were refused: not of the SNS topic, older than an hour, or not signed by SNS',
  snsConfirmed: 'the subscription of the SNS topic is confirmed',
  snsNotConfirmed: 'the subscription of the SNS topic could not be confirmed',
  snsEnded: 'the subscription of the SNS topic has ended',

  // Direct delivery
  shapingRead: 'the shaping table was reloaded',
  shapingUnusable: 'the shaping table cannot be used; the previous one stays in use',
  stsPolicyUnavailable: 'the MTA-STS policy of a domain could not be fetched',
  stsPolicyNotRead: 'an MTA-STS policy cannot be read',
  stsPolicyNotStored: 'an MTA-STS policy could not be stored; it is still applied',
  tlsResultsNotCounted: 'TLS results were not counted: too many kinds',
  tlsResultsNotWritten: 'TLS results could not be written; they will be written later',

  // The API log
  rejectedNotStored: 'rejected requests could not be added to the API log',

  // Bytes of messages
  objectsShared: 'objects belong to several databases',

  // Logged as errors, or at the level `debug` while the database is unreachable
  queueNotWritten: 'the queue could not be written',
  deliveriesNotWritten: 'webhook deliveries could not be written',

  // Bugs
  attemptFailed: 'an attempt failed because of an internal error',
  requestFailed: 'request failed',
  hitNotRecorded: 'an open or a click could not be recorded',
  dueDomainsNotRead: 'domains that are due could not be read',
  recordsNotChecked: 'the records of a domain could not be checked',
  reportFailed: 'a report could not be received',
  workerFailed: 'a pass of the worker failed',
  statementsNotShared: 'statements that share a commit failed together, and succeeded one by one',
  certificatesNotChecked: 'certificates could not be checked',
  emailsNotCounted: 'emails could not be counted; the overview shows older numbers until they are',
  emailsNotIndexed: 'emails could not be indexed; searches are incomplete until they are',
  alertsNotChecked: 'problems could not be checked for alerts',
  alertsNotSent: 'an alert could not be sent because of an internal error',
  pushesNotSent: 'a notification of new mail could not be sent because of an internal error',
  retentionFailed: 'expired data could not be deleted',
  webhookSenderFailed: 'the webhook sender failed',
  secretNotOpened: 'the secret of a webhook cannot be decrypted',
  routeSecretNotOpened: 'the secret of a route cannot be decrypted',
  processFailed: 'a process of the service failed because of an internal error',

  // Detail
  requestRefused: 'request refused',
} as const;

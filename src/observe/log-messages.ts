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
  notVerified: 'email not sent: its domain is not verified any more',
  givenUp: 'recipient given up',
  reported: 'report received',
  opened: 'email opened',
  clicked: 'link clicked',
  unsubscribed: 'recipient unsubscribed',
  webhookAttempted: 'webhook attempt ended',

  // Mail of mailboxes
  noticeFiled: 'notice filed',
  noticeDropped: 'notice dropped: there is nobody to tell',
  notSentLocked: 'message not sent: its mailbox is locked for sending',
  notSentLinkEnded: 'mail of the service not sent: its link has ended',
  sendingLocked: 'mailbox locked for sending',
  replayFailed: 'failed deliveries could not be made due again',
  sendingNotJudged: 'it could not be looked at whose mail is refused',
  noticesFailed: 'notices could not be filed',
  sendingDraftFailed: 'what was written in the web client could not be sent',

  downloadFailed: 'a download was broken off: its file is damaged here',
  downloadNotCounted: 'the bytes of a download could not be counted',
  clamdSilent: 'ClamAV gave no answer; files are looked at later',
  filesNotScanned: 'files of links could not be looked at',
  virusFound: 'a virus was found in a file of a link',

  // Incoming mail
  filed: 'message filed',
  routingFailed: 'an address could not be looked up',
  filingFailed: 'a message could not be filed',
  rulesFailed: 'the rules of a mailbox could not be looked at',
  submitted: 'message submitted',
  submissionFailed: 'a message that was handed in could not be taken',
  pop3Ended: 'POP3 session ended',
  pop3Failed: 'a command of POP3 could not be done',
  imapCommandFailed: 'a command of a mail app could not be done',

  proxyFault: 'a connection was closed: its PROXY header is missing, malformed or unexpected',

  // Signing in
  signedIn: 'signed in',
  signInRefused: 'sign-in refused',
  signInPutOff: 'sign-in put off',
  openIdFailed: 'the OpenID provider could not be asked',
  accountMailFailed: 'a mail to a user could not be made',
  serviceDomainCopied: 'the claim on the domain of POSTHORN_MAIL_FROM was copied to the installation',
  serviceDomainPending: 'the domain of POSTHORN_MAIL_FROM is not verified yet',
  serviceDomainUnverified: 'the domain of POSTHORN_MAIL_FROM is verified by no project',

  redirectedBehindProxy:
    'a page was redirected to https although a proxy forwarded it over https: if it is yours, name it in POSTHORN_TRUSTED_PROXIES',

  // Processes
  starting: 'starting',
  ready: 'ready',
  databaseAwaited: 'the start waits for the database',
  waitingRoomClosed: 'probes have no answer while the start waits for the database',
  databaseLost: 'the database is lost',
  databaseFound: 'the database is found again',
  stopping: 'stopping',
  stopped: 'stopped',

  // Problems that need attention
  triedAlone: 'email tried alone after crashes',
  webhookDisabled: 'webhook disabled',
  certificateUnusable: 'the certificate cannot be used; the one before it stays in use',
  certificateObtained: 'a certificate was obtained',
  certificateNotObtained: 'a certificate could not be obtained',
  portOpened: 'a port is open, now that there is a certificate',
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
  sendingResumed: 'sending goes on',
  providerDisagrees: 'this process does not send mail: its provider is not the one of the installation',
  providerAgrees: 'the provider is that of the installation again: mail is sent',

  // Mail from other servers
  rspamdSilent: 'rspamd gave no answer; our own scorer judges',
  indexingFailed: 'the words of a mailbox were not indexed; searches in it take longer until they are',

  // Upgrades
  schemaReady: 'the database has what this version needs',
  migrationQueued: 'another instance migrates the database, or a backup is under way; this one waits for it',
  migrationBegins: 'a migration begins',
  migrationAgain: 'a migration waits for locks that others hold, and is tried again',
  migrationDone: 'a migration is done',
  contractFailed: 'what older versions needed could not be taken away',

  // Amazon SES
  sesAccount: 'the account of Amazon SES',
  sesRateUnknown: 'Amazon SES does not tell the send rate',
  sesRefuses: 'Amazon SES does not take mail',
  snsRefused: 'notifications were refused: not of the SNS topic, older than an hour, or not signed by SNS',
  snsConfirmed: 'the subscription of the SNS topic is confirmed',
  snsNotConfirmed: 'the subscription of the SNS topic could not be confirmed',
  snsEnded: 'the subscription of the SNS topic has ended',

  // Direct delivery
  shapingRead: 'the shaping table was read again',
  shapingUnusable: 'the shaping table cannot be used, the one before stays',
  stsPolicyUnavailable: 'the MTA-STS policy of a domain cannot be had',
  stsPolicyNotRead: 'an MTA-STS policy cannot be read',
  stsPolicyNotKept: 'an MTA-STS policy cannot be kept; it is in force',
  tlsResultsNotCounted: 'TLS results were not counted: too many kinds',
  tlsResultsNotWritten: 'TLS results cannot be written; they are kept for the next time',

  // Bytes of messages
  objectsShared: 'objects belong to several databases',

  // Errors; while the database is unreachable they are logged as details
  queueNotWritten: 'the queue could not be written',
  deliveriesNotWritten: 'the deliveries of webhooks could not be written',

  // Bugs
  attemptFailed: 'an attempt failed in our own code',
  requestFailed: 'request failed',
  hitNotRecorded: 'what a recipient did could not be recorded',
  dueDomainsNotRead: 'domains that are due could not be read',
  recordsNotLookedAt: 'the records of a domain could not be looked at',
  reportFailed: 'a report could not be received',
  workerFailed: 'the worker could not look around',
  certificatesNotLookedAt: 'certificates could not be looked at',
  emailsNotCounted: 'emails could not be counted; the overview tells older numbers until they are',
  emailsNotIndexed: 'emails could not be indexed; searches in them find less until they are',
  retentionFailed: 'what is old could not be deleted',
  webhookSenderFailed: 'the sender of webhooks failed',
  secretNotOpened: 'the secret of a webhook cannot be opened',
  processFailed: 'a process of the service failed in our own code',

  // Detail
  requestRefused: 'request refused',
} as const;

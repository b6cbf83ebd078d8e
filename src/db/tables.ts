/**
 * The tables for Kysely: the schema of `migrations/`, in camelCase. Columns that PostgreSQL fills if an insert leaves them out are
 * `Generated`.
 */
import type { ColumnType, Generated } from 'kysely';
import type { AlertChannelName, AlertType } from '../model/alerts.ts';
import type { Dimension } from '../model/dimensions.ts';
import type { EventKey, TEST_EVENT } from '../model/event-keys.ts';
import type { FileScan } from '../model/file-scans.ts';
import type { FolderRole, FolderUse } from '../model/folder-roles.ts';
import type { LabelColor } from '../model/label-colors.ts';
import type { ProjectRole, Role } from '../model/roles.ts';
import type { MailDoor } from '../model/mail-doors.ts';
import type { MailboxAccess, SendingRight } from '../model/mailbox-rights.ts';
import type { SignInRequirement } from '../model/sign-in-requirements.ts';
import type { SpamLevel } from '../model/spam-levels.ts';
import type { LockReason } from '../model/lock-reasons.ts';
import type { PastAttempt } from '../model/past-attempt.ts';
import type { RouteFormat, RouteMessageStatus } from '../model/routes.ts';
import type { QueueStream, Stream } from '../model/streams.ts';
import type { SubmissionKind } from '../model/submission-kinds.ts';
import type { Swipe } from '../model/swipes.ts';
import type { UndoSeconds } from '../model/undo-seconds.ts';
import type { SuppressionReason } from '../model/suppression-reasons.ts';
import type { MessageLayout } from '../model/message-layout.ts';
import type { Tracking } from '../model/tracking.ts';

export interface Tables {
  organizations: {
    id: string;
    name: string;
    createdAt: Date;
    /** Null: no requirement. */
    requiredSignIn: Generated<SignInRequirement | null>;
  };
  projects: {
    id: string;
    organizationId: string;
    name: string;
    plan: 'free' | 'paid';
    createdAt: Date;
    defaultSpamLevel: Generated<SpamLevel>;
    smtpTracking: Generated<boolean>;
    smtpEvents: Generated<boolean>;
    mailDirectory: Generated<boolean>;
    linkNames: Generated<boolean>;
    trackOpens: Generated<boolean>;
    trackClicks: Generated<boolean>;
    /** A bigint, read as text unless it is cast. */
    storageBytes: Generated<string>;
    keepDays: Generated<number | null>;
    keepBodiesDays: Generated<number | null>;
    bodiesDeletedBefore: Generated<string | null>;
  };
  /** The bigint is read as text. */
  storageChanges: { projectId: string; id: string; bytes: ColumnType<string, number, never> };
  apiKeys: {
    projectId: string;
    id: string;
    name: string;
    tokenSha256: Buffer;
    lastFour: string | null;
    scopes: string[] | null;
    createdAt: Date;
    revokedAt: Date | null;
    fromDomains: string[] | null;
    recipients: string[] | null;
    addresses: string[] | null;
    expiresAt: Date | null;
    lastUsedAt: Date | null;
    createdBy: string | null;
    grantsRoutes: Generated<boolean>;
  };
  /** The API log: rejected requests with API keys. */
  rejectedRequests: {
    projectId: string;
    id: string;
    createdAt: Date;
    keyId: string;
    method: string;
    route: string;
    path: string;
    status: number;
    problem: string;
    detail: string;
    errors: ColumnType<Record<string, string> | null, string | null, never>;
    body: ColumnType<object | string | number | boolean | null, string | null, never>;
    hasContent: boolean;
    omitted: Generated<number>;
    address: string | null;
    userAgent: string | null;
    requestId: string;
  };
  /** Users of the dashboard. */
  users: {
    id: string;
    email: string;
    emailKey: string;
    name: string;
    passwordHash: string | null;
    isOperator: Generated<boolean>;
    createdAt: Date;
    /** Null if the user has never signed in. */
    signedInAt: Generated<Date | null>;
    /** Null: verified. */
    verifiesBy: Generated<'mail' | 'second-factor' | null>;
  };
  memberships: {
    organizationId: string;
    userId: string;
    role: Role;
    seesBodies: Generated<boolean>;
    createdAt: Date;
  };
  projectRoles: { organizationId: string; userId: string; projectId: string; role: ProjectRole };
  sessions: {
    userId: string;
    id: string;
    tokenSha256: Buffer;
    createdAt: Date;
    usedAt: Date;
    confirmedAt: Date;
    address: string;
    userAgent: string;
    withSecondFactor: Generated<boolean>;
    withOpenid: Generated<boolean>;
  };
  signInLinks: {
    id: string;
    tokenSha256: Buffer;
    purpose: 'welcome' | 'reset' | 'invitation';
    userId: string | null;
    organizationId: string | null;
    email: string | null;
    emailKey: string | null;
    role: Role | null;
    seesBodies: Generated<boolean>;
    madeBy: string | null;
    createdAt: Date;
    expiresAt: Date;
    mailedTokenSha256: Generated<Buffer | null>;
    mailedNeedsFactor: Generated<boolean>;
    submissionId: Generated<string | null>;
    awaitsConfirmation: Generated<boolean>;
    pendingPasswordHash: Generated<string | null>;
  };
  /** Sealed service mail that contains links. */
  serviceBodies: { submissionId: string; linkId: string; sealed: string };
  userNetworks: { userId: string; network: string; seenAt: Date };
  /** Further sign-in methods: TOTP, recovery codes and passkeys. */
  userTotp: { userId: string; secret: string; lastStep: ColumnType<string, number, number>; createdAt: Date };
  userRecoveryCodes: { userId: string; codeSha256: Buffer };
  userPasskeys: {
    userId: string;
    id: string;
    name: string;
    credentialId: Buffer;
    publicKey: Buffer;
    counter: ColumnType<string, number, number>;
    transports: string[];
    createdAt: Date;
    usedAt: Generated<Date | null>;
  };
  userIdentities: {
    userId: string;
    id: string;
    issuer: string;
    subject: string;
    email: string;
    createdAt: Date;
    usedAt: Date;
  };
  usedTickets: { id: string; expiresAt: Date };
  auditLog: {
    organizationId: string;
    id: string;
    projectId: string | null;
    action: string;
    actorKind: 'user' | 'api-key' | 'command-line' | 'system' | 'mailbox';
    actorId: string | null;
    actorName: string;
    address: string | null;
    target: string;
    targetName: string | null;
    before: ColumnType<Record<string, unknown> | null, string | null, never>;
    after: ColumnType<Record<string, unknown> | null, string | null, never>;
    createdAt: Date;
  };
  /** Domains for the installation's own mail. */
  serviceDomains: { projectId: string; domainId: string; hasOwnKeys: Generated<boolean> };
  /** For each released address of the hosted domain, the last project that had the address. */
  pastHolders: { domainId: string; localPartKey: string; projectId: string };
  /** Sender addresses of the installation's own mail. */
  serviceSenders: {
    domain: string;
    localPartKey: string;
    address: string;
    usedAt: Date | null;
    namedAt: Generated<Date>;
  };
  domains: {
    projectId: string;
    id: string;
    name: string;
    status: 'pending' | 'verified' | 'failed' | 'warning';
    createdAt: Date;
    verifiedAt: Date | null;
    region: Generated<string | null>;
    spfVerified: Generated<boolean>;
    dkimVerified: Generated<boolean>;
    mailFromVerified: Generated<boolean>;
    dmarcVerified: Generated<boolean>;
    checks: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>;
    lastCheckedAt: Generated<Date | null>;
    warningSince: Generated<Date | null>;
    nextCheckAt: Generated<Date | null>;
    pendingSince: Generated<Date>;
    trackOpens: Generated<boolean | null>;
    trackClicks: Generated<boolean | null>;
    dnsZone: Generated<string | null>;
    nameServers: Generated<string[] | null>;
  };
  domainsVerifiedByHand: { projectId: string; domainId: string; verifiedAt: Date };
  /** One row per claim of a domain. The row stays when `domains.verified_at` is cleared. */
  domainsFirstVerified: {
    projectId: string;
    domainId: string;
    verifiedAt: Date;
    /** Time of the last check that found the claimed domain verified. Null: no such check since the first verification. */
    lastVerifiedAt: Generated<Date | null>;
  };
  /** The targets of a claimed domain's MX records, and the decision of an operator. */
  domainMx: {
    projectId: string;
    domainId: string;
    deliverLocally: Generated<boolean | null>;
    gateways: Generated<string[]>;
    sendsElsewhere: Generated<string[]>;
    hosts: ColumnType<
      { priority: number; exchange: string }[] | null,
      string | null | undefined,
      string | null
    >;
    askedAt: Generated<Date | null>;
    answeredAt: Generated<Date | null>;
    hereAt: Generated<Date | null>;
    elsewhereSince: Generated<Date | null>;
  };
  dkimKeys: {
    projectId: string;
    domainId: string;
    selector: string;
    algorithm: 'rsa-sha256' | 'ed25519-sha256';
    publicKey: string;
    privateKeySealed: string;
    createdAt: Date;
    state: Generated<'active' | 'next' | 'retiring'>;
    keepUntil: Generated<Date | null>;
  };
  settings: { name: string; value: string };
  blobs: {
    projectId: string;
    digest: Buffer;
    size: number;
    bytes: Buffer | null;
    object: string | null;
    usedAt: Date;
  };
  emails: {
    projectId: string;
    id: string;
    createdAt: Date;
    sender: string;
    senderAddress: string;
    toList: string[];
    subject: string;
    tags: string[];
    status: Generated<number>;
    reached: Generated<number>;
    stages: number[];
    emitsEvents: Generated<boolean>;
    isBulk: Generated<boolean | null>;
    scheduledAt: Generated<Date | null>;
    /** Null if the email was accepted by an older version, or before the first start that set the kind of provider. */
    isSandbox: Generated<boolean | null>;
  };
  emailCounts: {
    projectId: string;
    hour: Date;
    emails: number;
    recipients: number;
    delivered: number;
    opened: number;
    clicked: number;
    failed: number;
    bounced: number;
    complained: number;
    countedAt: Date;
    nextAt: Date;
    metricsAt: Generated<Date | null>;
    personAt: Generated<Date>;
  };
  emailMetrics: {
    projectId: string;
    span: 'hour' | 'day';
    dimension: Dimension;
    beginsAt: Date;
    isRest: boolean;
    value: string;
    emails: number;
    recipients: number;
    delivered: number;
    bouncedHard: number;
    bouncedSoft: number;
    complained: number;
    failed: number;
    openedByPeople: number;
    openedByMachines: number;
    clicked: number;
    latency: number[];
  };
  emailTags: { projectId: string; tag: string; emailId: string };
  emailContents: {
    projectId: string;
    emailId: string;
    cc: string[];
    bcc: string[];
    replyTo: string | null;
    headers: ColumnType<Record<string, string> | null, string | null, never>;
    html: string | null;
    text: string | null;
    tracking: ColumnType<Tracking | null, string | null, never>;
    traceParent: string | null;
    stream: Generated<Stream>;
    bodiesDeletedAt: Generated<Date | null>;
    /** The template from which the bodies were made. */
    templateId: Generated<string | null>;
  };
  /** Messages submitted by SMTP with an API key, which are sent as they are. */
  emailMessages: {
    projectId: string;
    emailId: string;
    digest: Buffer;
    octets: number;
    bodyHash: Buffer;
    messageId: string;
    layout: ColumnType<MessageLayout, string, never>;
  };
  waitingBodies: { projectId: string; emailId: string; redacts: Generated<boolean> };
  deletedEmails: {
    projectId: string;
    /** Read as midnight in the local time zone, so cast it to text. */
    month: ColumnType<Date, string, never>;
    /** The bigint is read as text. */
    emails: ColumnType<string, number, number>;
  };
  removals: {
    projectId: string;
    id: string;
    kind: 'project' | 'webhook' | 'mailbox';
    requestedAt: Generated<Date>;
  };
  emailRecipients: {
    projectId: string;
    emailId: string;
    recipientIndex: number;
    address: string;
    /** The number of crashes of an abandoned recipient; otherwise 0. */
    crashes: Generated<number>;
  };
  queue: {
    projectId: string;
    emailId: string;
    recipientIndex: number;
    stream: QueueStream;
    address: string;
    octets: number;
    attempts: Generated<number>;
    crashes: Generated<number>;
    nextAttemptAt: Generated<Date>;
    leaseId: string | null;
    inFlight: Generated<boolean>;
    inDoubt: Generated<boolean>;
    destination: string | null;
    scheduledAt: Generated<Date | null>;
    /** Null if the email was accepted by an older version, or before the first start that set the kind of provider. */
    isSandbox: Generated<boolean | null>;
    waitedUntil: Generated<Date | null>;
  };
  submissions: {
    projectId: string;
    id: string;
    mailboxId: string;
    kind: SubmissionKind;
    reversePath: string | null;
    fromAddress: string;
    fromDomain: string;
    messageId: string;
    digest: Buffer;
    octets: number;
    isUtf8: boolean;
    envelopeId: string | null;
    returns: 'full' | 'headers' | null;
    recipients: number;
    createdAt: Date;
    bodyHash: Generated<Buffer | null>;
  };
  submissionRecipients: {
    projectId: string;
    submissionId: string;
    recipientIndex: number;
    notify: number;
    noticeDue: Generated<boolean>;
    address: string;
    originalRecipient: string | null;
    outcome: Generated<'delivered' | 'relayed' | 'failed' | null>;
    detail: ColumnType<object | null, string | null | undefined, string | null>;
    endedAt: Generated<Date | null>;
    delayToldAt: Generated<Date | null>;
    reported: Generated<'bounced' | 'complained' | null>;
    reportedAt: Generated<Date | null>;
  };
  sendingLocks: {
    projectId: string;
    mailboxId: string;
    lockedAt: Date | null;
    reason: LockReason;
    countsFrom: Date;
  };
  submissionKeys: {
    projectId: string;
    login: string;
    fingerprint: Buffer;
    submissionId: string;
    createdAt: Date;
  };
  /** Usage of each project per day. */
  usageDays: {
    projectId: string;
    /** Read as midnight in the local time zone, so cast it to text. */
    day: ColumnType<Date, string, never>;
    /** The bigint is read as text. */
    storageBytes: ColumnType<string, number, number>;
    mailboxes: number;
    ownDomains: number;
    mailboxEmails: number;
    /** Null: the links were not counted. The bigint is read as text. */
    fileLinkBytes: ColumnType<string | null, number | undefined, number>;
  };
  /** The number of deleted submissions per mailbox and month. */
  deletedSubmissionsOfMailboxes: {
    projectId: string;
    mailboxId: string;
    /** Read as midnight in the local time zone, so cast it to text. */
    month: ColumnType<Date, string, never>;
    submissions: number;
  };
  deletedSubmissions: {
    projectId: string;
    /** Read as midnight in the local time zone, so cast it to text. */
    month: ColumnType<Date, string, never>;
    /** The bigint is read as text. */
    submissions: ColumnType<string, number, number>;
  };
  destinations: {
    name: string;
    domain: ColumnType<string, never, never>;
    failures: number;
    failingSince: Date | null;
    reply: ColumnType<object | null, string | null, string | null>;
    nextAttemptAt: Date;
    probed: ColumnType<object | null, string | null, string | null>;
  };
  /** Destinations that operators paused. */
  destinationHolds: { domain: string; heldAt: Date; resumedAt: Date | null };
  operatorMail: {
    id: string;
    digest: Buffer;
    recipients: string[];
    reversePath: string;
    clientAddress: string;
    helo: string;
    author: string;
    subject: string;
    octets: number;
    raw: Buffer;
  };
  systemChanges: {
    id: string;
    action: string;
    actorKind: 'user' | 'api-key' | 'command-line' | 'system';
    actorId: string | null;
    actorName: string;
    address: string | null;
    target: string;
    before: ColumnType<object | null, string | null, never>;
    after: ColumnType<object | null, string | null, never>;
  };
  leases: {
    leaseId: string;
    heartbeatAt: Date;
    name: string;
    holds: Generated<'recipients' | 'deliveries'>;
    processId: Generated<string | null>;
    isClosed: Generated<boolean>;
    isSandbox: Generated<boolean | null>;
  };
  events: {
    projectId: string;
    emailId: string;
    id: string;
    type: string;
    recipient: string | null;
    detail: ColumnType<object | null, string | null, never>;
  };
  idempotencyKeys: {
    projectId: string;
    key: string;
    fingerprint: Buffer;
    emailId: string;
    createdAt: Date;
    /** Ids of the emails that a batch request accepted. */
    emailIds: Generated<string[] | null>;
  };
  mailboxes: {
    projectId: string;
    id: string;
    domainId: string;
    domain: string;
    localPart: string;
    localPartKey: string;
    displayName: string | null;
    passwordHash: string | null;
    isCatchAll: boolean;
    quotaMb: number;
    dailySendLimit: number | null;
    spamLevel: SpamLevel | null;
    replyTo: string | null;
    signatureHtml: string | null;
    createdAt: Date;
    emptiesFolders: Generated<boolean>;
    saveSent: Generated<boolean>;
    secondFactorSince: Generated<Date | null>;
    filingVersion: Generated<number>;
    sessionsVersion: Generated<number>;
    isShared: Generated<boolean>;
    serviceMailAt: Generated<Date | null>;
    apiAccess: Generated<boolean>;
    unsharedAt: Generated<Date | null>;
  };
  /** Which mailboxes of a project may open or send for another mailbox of the project. */
  mailboxGrants: {
    projectId: string;
    mailboxId: string;
    memberId: string;
    access: MailboxAccess;
    sending: SendingRight;
    createdAt: Date;
  };
  /** Second factors of mailboxes in the web client. */
  mailboxTotp: { projectId: string; mailboxId: string; secret: string; lastStep: string; createdAt: Date };
  mailboxRecoveryCodes: { projectId: string; mailboxId: string; codeSha256: Buffer };
  mailboxPasskeys: {
    projectId: string;
    mailboxId: string;
    id: string;
    name: string;
    credentialId: Buffer;
    publicKey: Buffer;
    counter: ColumnType<string, number, number>;
    transports: string[];
    createdAt: Date;
    usedAt: Date | null;
  };
  /** Browsers that are signed in to the web client. */
  webSessions: {
    projectId: string;
    mailboxId: string;
    id: string;
    tokenSha256: Buffer;
    passwordSha256: Buffer;
    sessionsVersion: number;
    createdAt: Date;
    usedAt: Date;
    confirmedAt: Date;
    address: string;
    userAgent: string;
  };
  /** Browsers that are notified of new mail. */
  pushSubscriptions: {
    projectId: string;
    mailboxId: string;
    sessionId: string;
    targetSealed: string;
    vapidKey: string;
    withContent: boolean;
    notifiedUid: number;
    attempts: Generated<number>;
    nextAt: Date;
    lastTestAt: Date | null;
    createdAt: Date;
  };
  /** Keys of browsers by which a repeated request to send a draft is recognized. */
  sentKeys: { projectId: string; mailboxId: string; key: string; draftId: string; createdAt: Date };
  aliases: {
    projectId: string;
    id: string;
    domainId: string;
    domain: string;
    localPart: string;
    localPartKey: string;
    createdAt: Date;
  };
  aliasMailboxes: { projectId: string; aliasId: string; mailboxId: string };
  /** Rules, blocked senders, vacation and forwarding. */
  mailboxRules: {
    projectId: string;
    mailboxId: string;
    id: string;
    position: number;
    name: string;
    isEnabled: boolean;
    isAny: boolean;
    conditions: ColumnType<object, string, never>;
    actions: ColumnType<object, string, never>;
    createdAt: Date;
  };
  /** Preferences of a mailbox in the web client. No row: defaults. */
  mailboxPreferences: {
    projectId: string;
    mailboxId: string;
    remoteContent: Generated<'ask' | 'always'>;
    newestFirst: Generated<boolean>;
    swipeLeft: Generated<Swipe>;
    swipeRight: Generated<Swipe>;
    undoSeconds: Generated<UndoSeconds | null>;
  };
  /** Identities besides the main identity of a mailbox. The row with the id of the mailbox has additional fields of the main identity. */
  mailboxIdentities: {
    projectId: string;
    mailboxId: string;
    id: string;
    address: string | null;
    displayName: string | null;
    replyTo: string | null;
    signatureHtml: string | null;
    bccSelf: Generated<boolean>;
    isDefault: Generated<boolean>;
    uploads: Generated<string[]>;
  };
  cannedResponses: {
    projectId: string;
    mailboxId: string;
    id: string;
    name: string;
    subject: string | null;
    html: string;
    preview: string;
    uploads: Generated<string[]>;
  };
  invitationAnswers: {
    projectId: string;
    mailboxId: string;
    event: Buffer;
    answer: 'accepted' | 'tentative' | 'declined';
    sequence: number;
    answeredAt: Date;
  };
  mailboxBlocks: { projectId: string; mailboxId: string; sender: string; createdAt: Date };
  appPasswords: {
    projectId: string;
    mailboxId: string;
    id: string;
    name: string;
    access: 'read' | 'everything';
    digest: Buffer;
    createdAt: Date;
    lastUsedAt: Generated<Date | null>;
  };
  signInNetworks: { projectId: string; mailboxId: string; network: string; seenAt: Date };
  signInGuesses: { key: string; forgivenAt: Date };
  /** Sign-ins and open sessions of mailboxes. */
  mailboxSignIns: {
    projectId: string;
    mailboxId: string;
    door: MailDoor;
    address: string;
    appPasswordId: string | null;
    signedInAt: Date;
  };
  trustedSenders: { projectId: string; mailboxId: string; address: string; createdAt: Date };
  mailboxSessions: {
    processId: string;
    id: string;
    projectId: string;
    mailboxId: string;
    door: MailDoor;
    address: string;
    appPasswordId: string | null;
    openedAt: Date;
  };
  credentialChanges: { mailboxId: string; transactionId: Generated<string>; changedAt: Generated<Date> };
  mailboxStates: {
    projectId: string;
    mailboxId: string;
    /** The bigints are read as text. */
    octets: ColumnType<string, number | undefined, number>;
    uidValidity: ColumnType<string, number, number>;
    warnedPercent: Generated<number>;
    warningDue: Generated<boolean>;
    fullSince: Generated<Date | null>;
    /** The bigints are read as text. */
    spentUidValidities: ColumnType<string[], number[] | undefined, number[]>;
  };
  folders: {
    projectId: string;
    mailboxId: string;
    id: string;
    name: string | null;
    role: FolderRole | null;
    subscribed: Generated<boolean>;
    /** The bigints are read as text. */
    uidValidity: ColumnType<string, number, number>;
    uidNext: Generated<number>;
    highestModseq: ColumnType<string, number | undefined, number>;
    forgottenModseq: ColumnType<string, number | undefined, number>;
    messages: Generated<number>;
    unseen: Generated<number>;
    octets: ColumnType<string, number | undefined, number>;
    keywords: Generated<string[]>;
    recentUid: Generated<number>;
    uses: Generated<FolderUse[]>;
    unasked: Generated<boolean>;
    conversations: Generated<number>;
    unlistedBelow: Generated<number>;
    uidReservedBelow: Generated<number>;
    hasUidls: Generated<boolean>;
  };
  subscriptions: {
    projectId: string;
    mailboxId: string;
    name: string;
  };
  messages: {
    projectId: string;
    mailboxId: string;
    folderId: string;
    uid: number;
    /** The bigint is read as text. */
    modseq: ColumnType<string, number, number>;
    flags: number;
    keywords: string[];
    objectId: string;
    octets: number;
    internalDate: Date;
    saveDate: Date;
    uidl: string | null;
  };
  messageContents: {
    projectId: string;
    mailboxId: string;
    objectId: string;
    digest: Buffer;
    octets: number;
    threadId: string;
    messageId: string | null;
    subject: string;
    baseSubject: string;
    addresses: ColumnType<object, string, never>;
    sentAt: Date | null;
    preview: string;
    attachments: number;
    envelope: string;
    bodyStructure: string;
    usualFields: string | null;
    text: string;
    authentication: ColumnType<object | null, string | null, never>;
    spam: ColumnType<object | null, string | null, never>;
    sentBy: Generated<string | null>;
    header: Generated<string | null>;
    sentOn: Generated<Date | null>;
    ancestors: Generated<string[] | null>;
    crlfGrowth: Generated<number>;
    isLate: Generated<boolean>;
    sortKeys: Generated<string | null>;
    event: ColumnType<object | null, string | null | undefined, string | null>;
  };
  threadLinks: { projectId: string; mailboxId: string; link: string; threadId: string };
  expunged: {
    projectId: string;
    mailboxId: string;
    folderId: string;
    /** The bigint is read as text. */
    modseq: ColumnType<string, number, number>;
    firstUid: number;
    lastUid: number;
    expungedAt: Date;
    threadIds: string[] | null;
  };
  /** Maintained by triggers, except for appended messages (`src/store/list-new.ts`). */
  conversations: {
    projectId: string;
    mailboxId: string;
    folderId: string;
    threadId: string;
    newestAt: Date;
    newestUid: number;
    messages: number;
    unseen: number;
    flagged: number;
    drafts: number;
    files: number;
    pinned: Generated<number>;
  };
  mailboxLabels: {
    projectId: string;
    mailboxId: string;
    keyword: string;
    name: string;
    color: LabelColor | null;
    createdAt: Date;
  };
  snoozedMessages: {
    projectId: string;
    mailboxId: string;
    objectId: string;
    folderId: string;
    returnFolderId: string;
    until: Date;
    receivedAt: Date;
    wokenAt: Date | null;
  };
  routes: {
    projectId: string;
    id: string;
    kind: 'address' | 'domain' | 'mailbox';
    domainId: string | null;
    domain: string | null;
    localPart: string | null;
    localPartKey: string | null;
    mailboxId: string | null;
    tag: string | null;
    format: RouteFormat;
    url: string | null;
    credentialsSealed: string | null;
    secretSealed: string;
    previousSecretSealed: string | null;
    previousSecretUntil: Date | null;
    createdAt: Date;
    updatedAt: Date;
    lastSuccessAt: Date | null;
    lastFailureAt: Date | null;
    failingSince: Date | null;
    /** A bigint, read as text unless it is cast. */
    deferred: Generated<string>;
    lastDeferredAt: Date | null;
    /** A bigint, read as text unless it is cast. */
    lastPosition: Generated<string>;
  };
  routeMessages: {
    projectId: string;
    routeId: string;
    id: string;
    dedupe: Buffer;
    digest: Buffer;
    octets: number;
    reversePath: string;
    recipients: string[];
    clientAddress: string;
    helo: string;
    author: string;
    subject: string;
    authentication: ColumnType<object, string, never>;
    spam: ColumnType<object, string, never>;
    status: RouteMessageStatus;
    attempts: Generated<number>;
    maxAttempts: Generated<number>;
    nextAttemptAt: Date;
    lastAttemptAt: Date | null;
    leaseId: string | null;
    deliveredAt: Date | null;
    httpStatus: number | null;
    error: string | null;
    durationMs: number | null;
    responseBody: string | null;
    responseTruncated: Generated<boolean>;
    pastAttempts: ColumnType<PastAttempt[] | null, string | null | undefined, null>;
    expiresAt: Date;
    /** A bigint, read as text unless it is cast. */
    position: Generated<string>;
  };
  webhooks: {
    projectId: string;
    id: string;
    url: string;
    events: EventKey[];
    enabled: boolean;
    disabledReason: 'failing' | null;
    secretSealed: string;
    previousSecretSealed: string | null;
    previousSecretUntil: Date | null;
    createdAt: Date;
    updatedAt: Date;
    lastSuccessAt: Date | null;
    lastFailureAt: Date | null;
    failingSince: Date | null;
  };
  /** Finished deliveries. */
  deliveries: {
    projectId: string;
    webhookId: string;
    id: string;
    eventId: string;
    emailId: string | null;
    type: EventKey | typeof TEST_EVENT;
    status: 'delivered' | 'failed';
    attempts: number;
    maxAttempts: Generated<number>;
    lastAttemptAt: Date | null;
    deliveredAt: Date | null;
    httpStatus: number | null;
    error: string | null;
    durationMs: number | null;
    responseBody: string | null;
    responseTruncated: Generated<boolean>;
    pastAttempts: ColumnType<PastAttempt[] | null, string | null | undefined, null>;
  };
  dueDeliveries: {
    projectId: string;
    webhookId: string;
    id: string;
    eventId: string;
    emailId: string;
    type: EventKey;
    attempts: Generated<number>;
    maxAttempts: Generated<number>;
    nextAttemptAt: Date;
    lastAttemptAt: Date | null;
    leaseId: string | null;
    httpStatus: number | null;
    error: string | null;
    durationMs: number | null;
    responseBody: string | null;
    responseTruncated: Generated<boolean>;
    pastAttempts: ColumnType<PastAttempt[] | null, string | null | undefined, null>;
  };
  webhookActivity: {
    projectId: string;
    webhookId: string;
    hour: Date;
    delivered: number;
    failed: number;
  };
  webhookReplays: {
    projectId: string;
    webhookId: string;
    id: string;
    fromId: string;
    untilId: string;
    afterId: string;
    total: number;
    replayed: Generated<number>;
    endedAt: Date | null;
    endedBy: 'done' | 'stopped' | 'disabled' | null;
  };
  webhookRetries: {
    projectId: string;
    webhookId: string;
    startedAt: Date;
    afterAt: Date;
    afterEventId: string;
    total: number;
    retried: Generated<number>;
    openIds: Generated<string[]>;
    openedAt: Date | null;
    endedAt: Date | null;
    endedBy: 'done' | 'stopped' | 'disabled' | 'failing' | null;
  };
  templates: {
    projectId: string;
    id: string;
    name: string;
    subject: string;
    html: string;
    text: string;
    variables: string[];
    createdAt: Date;
    updatedAt: Date;
    /** A JSON object. Null: the template has no sample values. */
    sample: Generated<string | null>;
    layoutId: Generated<string | null>;
    /** The layout and the partials that `html` and `text` contain. */
    pieceIds: Generated<string[]>;
    /** The HTML as it was written, without layout and partials. Null: `html` contains none. */
    sourceHtml: Generated<string | null>;
    sourceText: Generated<string | null>;
    /** The sources are valid only while this time equals `updatedAt`. */
    composedAt: Generated<Date | null>;
  };
  /** Layouts and partials of templates. */
  templatePieces: {
    projectId: string;
    id: string;
    kind: 'layout' | 'partial';
    name: string;
    html: string;
    text: string;
    createdAt: Date;
    updatedAt: Date;
  };
  /** Changes to templates that are not yet published. */
  templateSharedDrafts: {
    projectId: string;
    templateId: string;
    /** Changes with each change of the draft. */
    revision: string;
    subject: string;
    html: string;
    text: string;
    layoutId: string | null;
    sample: string;
    /** The author of the last change. */
    actorName: string;
    updatedAt: Date;
    /** The time at which the version that the draft is based on was published. */
    basedOn: Date;
  };
  /** The values of the last email of each template. */
  templateUses: {
    projectId: string;
    templateId: string;
    emailId: string;
    /** A JSON object. */
    variables: string;
  };
  /** Saved searches of the page Emails. */
  emailViews: {
    projectId: string;
    id: string;
    /** Null: everyone in the project sees the view. */
    userId: string | null;
    name: string;
    q: string;
  };
  /** Drafts of versions of the service before `templateSharedDrafts`, which now has the newest of them. */
  templateDrafts: {
    projectId: string;
    templateId: string;
    userId: string;
    subject: string;
    html: string;
    text: string;
    sample: string;
    updatedAt: Date;
    /** The time at which the version that the draft is based on was saved. Null: unknown. */
    basedOn: Date | null;
  };
  /** Items of the page Start that a user does not want to see for a while. */
  snoozes: {
    projectId: string;
    userId: string;
    key: string;
    level: number;
    until: Date;
  };
  alertSubscriptions: {
    id: string;
    userId: string;
    /** Null: the installation. */
    projectId: string | null;
    channel: AlertChannelName;
    host: string | null;
    urlSealed: string | null;
    secretSealed: string | null;
    kinds: string[];
    quietFrom: number | null;
    quietUntil: number | null;
    timeZone: string;
    urgentAlways: boolean;
    digest: boolean;
    digestAt: Date | null;
    enabled: boolean;
    disabledReason: 'failing' | 'rejected' | null;
    failingSince: Date | null;
    lastError: string | null;
    lastSentAt: Date | null;
    lastTestAt: Date | null;
    createdAt: Date;
  };
  alertProblems: {
    subscriptionId: string;
    key: string;
    problem: ColumnType<unknown, string, string>;
    level: number;
    isSnoozed: boolean;
    openedAt: Date | null;
    reportedLevel: number | null;
    resolvedAt: Date | null;
  };
  alertMessages: {
    id: string;
    subscriptionId: string;
    type: AlertType;
    content: ColumnType<unknown, string, string>;
    createdAt: Date;
    nextAttemptAt: Date;
    attempts: Generated<number>;
    claimedUntil: Date | null;
    sentAt: Date | null;
  };
  alertChecks: { scope: string; checkedAt: Date };
  /** Saved versions of templates. The newest version equals the template. */
  templateVersions: {
    projectId: string;
    templateId: string;
    /** A UUIDv7 with the time of the save. */
    id: string;
    name: string;
    subject: string;
    html: string;
    text: string;
    layoutId: Generated<string | null>;
    /** The kind of actor who saved the version, as in the audit log. */
    actorKind: 'user' | 'api-key' | 'command-line' | 'system' | 'mailbox';
    actorName: string;
    createdAt: Date;
  };
  people: {
    projectId: string;
    id: string;
    name: string;
    email: string;
    emailKey: string;
    title: string | null;
    organization: string | null;
    notes: string | null;
    mailboxId: string | null;
    createdAt: Date;
  };
  shares: { projectId: string; id: string; toProjectId: string; createdAt: Date };
  suppressions: {
    projectId: string;
    address: string;
    addressKey: ColumnType<string, never, never>;
    reason: SuppressionReason;
    detail: ColumnType<object | null, string | null, string | null>;
    emailId: string | null;
    createdAt: Date;
    expiresAt: Date | null;
  };
  mtaStsPolicies: {
    domain: string;
    recordId: string;
    mode: 'enforce' | 'testing' | 'none';
    mx: string[];
    maxAgeSeconds: number;
    fetchedAt: Date;
    expiresAt: Date;
  };
  tlsResults: {
    /** Read as midnight in the local time zone, so cast it to text. */
    day: ColumnType<Date, string, never>;
    policyDomain: string;
    policyType: 'sts' | 'no-policy-found';
    mxHost: string;
    outcome: string;
    /** The bigint is read as text. */
    sessions: ColumnType<string, number, number>;
  };
  processes: {
    id: string;
    host: string;
    name: string;
    roles: string[];
    version: string;
    connections: number;
    clockAheadMs: number;
    heartbeatAt: Date;
  };
  /** Accounts and certificates of ACME (RFC 8555). */
  acmeAccounts: { directory: string; sealedKey: string };
  acmeCertificates: {
    directory: string;
    name: string;
    sealed: string | null;
    expiresAt: Date | null;
    wantedAt: Generated<Date>;
    nextAttemptAt: Generated<Date>;
    failures: Generated<number>;
    lastError: string | null;
  };
  acmeChallenges: {
    token: string;
    name: string;
    type: 'http-01' | 'tls-alpn-01';
    keyAuthorization: string;
    expiresAt: Date;
  };
  sandboxMessages: { projectId: string; emailId: string; message: Buffer; createdAt: Date };
  /** Folders on other servers that are copied into mailboxes (`src/moving`). */
  sourceFolders: {
    projectId: string;
    mailboxId: string;
    id: string;
    source: string;
    name: string;
    /** The bigint is read as text. */
    uidValidity: ColumnType<string, number, number>;
    folderId: string;
    keepsUids: boolean;
    modseq: string | null;
    passedAt: Date;
  };
  sourceMessages: {
    projectId: string;
    mailboxId: string;
    sourceFolderId: string;
    /** The bigints are read as text. */
    uidValidity: ColumnType<string, number, number>;
    sourceUid: ColumnType<string, number, number>;
    uid: number | null;
    flags: number;
    keywords: string[];
    size: number;
    internalDate: Date | null;
    digest: Buffer;
    isClaimed: boolean;
  };
  /** The number of messages from which each project's spam filter has learned. */
  spamTraining: { projectId: string; junk: Generated<number>; ham: Generated<number> };
  spamTokens: {
    projectId: string;
    token: number;
    junk: number;
    ham: number;
    junkMailboxes: Generated<number>;
  };
  mailboxSpamTraining: {
    projectId: string;
    mailboxId: string;
    junk: Generated<number>;
    ham: Generated<number>;
    kept: Generated<number>;
  };
  mailboxSpamTokens: { projectId: string; mailboxId: string; token: number; junk: number; ham: number };
  mailboxSpamLessons: {
    projectId: string;
    mailboxId: string;
    message: Buffer;
    kind: 'junk' | 'ham' | 'kept';
    learnedAt: Date;
  };
  spamFeatures: {
    projectId: string;
    mailboxId: string;
    feature: number;
    message: Buffer;
    kind: 'junk' | 'ham';
  };
  mailboxSenders: {
    projectId: string;
    mailboxId: string;
    sender: string;
    isProven: boolean;
    standing: 'known' | 'spam';
    notedAt: Date;
  };
  mailboxSafeSenders: { projectId: string; mailboxId: string; sender: string; createdAt: Date };
  projectSafeSenders: { projectId: string; sender: string; createdAt: Date };
  spamTrained: { projectId: string; message: Buffer; kind: 'junk' | 'ham'; trainedAt: Date };
  /** Files that users upload in the web client. */
  uploads: {
    projectId: string;
    mailboxId: string;
    id: string;
    name: string;
    type: string;
    octets: number;
    source: string | null;
    usedAt: Date;
  };
  uploadPieces: {
    projectId: string;
    mailboxId: string;
    uploadId: string;
    position: number;
    digest: Buffer;
  };
  /** Large files that are sent as links. The bigints are read as text. */
  fileLinks: {
    projectId: string;
    mailboxId: string;
    id: string;
    tokenDigest: Buffer;
    tokenSealed: string;
    passwordHash: string | null;
    expiresAt: Date;
    maxDownloads: number | null;
    downloads: Generated<number>;
    downloadedOctets: ColumnType<string, number | undefined, number>;
    revokedAt: Generated<Date | null>;
    isForDraft: boolean;
    draftId: Generated<string | null>;
    subject: Generated<string | null>;
    createdAt: Date;
  };
  linkFiles: {
    projectId: string;
    mailboxId: string;
    id: string;
    linkId: Generated<string | null>;
    position: Generated<number>;
    name: string;
    type: string;
    octets: ColumnType<string, number, number>;
    received: ColumnType<string, number | undefined, number>;
    crc32: ColumnType<string, number | undefined, number>;
    wholeAt: Generated<Date | null>;
    goneAt: Generated<Date | null>;
    scan: Generated<FileScan | null>;
    scanFound: Generated<string | null>;
    scanDueAt: Generated<Date>;
    createdAt: Date;
    touchedAt: Date;
  };
  linkFileParts: {
    projectId: string;
    fileId: string;
    startsAt: ColumnType<string, number, number>;
    octets: number;
    object: string;
    digest: Buffer;
  };
  goneObjects: { projectId: string; object: string };
  linkDownloads: {
    projectId: string;
    id: string;
    linkId: string;
    at: Date;
    octets: ColumnType<string, number | undefined, number>;
    what: 'file' | 'zip';
    position: number | null;
    reader: Buffer | null;
    reached: string | null;
    leftAt: Date | null;
  };
  drafts: {
    projectId: string;
    mailboxId: string;
    id: string;
    client: string;
    objectId: string | null;
    content: ColumnType<object, string, string>;
    uploads: string[];
    savedAt: Date;
    sendsAt: Generated<Date | null>;
    isScheduled: Generated<boolean>;
    claimedUntil: Generated<Date>;
    attempts: Generated<number>;
    sentAt: Generated<Date | null>;
    problem: Generated<string | null>;
  };
  writtenAddresses: {
    projectId: string;
    mailboxId: string;
    addressKey: string;
    address: string;
    name: string | null;
    words: string;
    uses: number;
    /** The epoch if the mailbox never wrote to the address. */
    writtenAt: Date;
    received: Generated<number>;
    receivedAt: Generated<Date>;
  };
  contactHarvests: {
    projectId: string;
    mailboxId: string;
    harvestedUntil: string;
  };
  contacts: {
    projectId: string;
    mailboxId: string;
    id: string;
    name: string | null;
    note: string;
    changedAt: Date;
  };
  contactAddresses: {
    projectId: string;
    mailboxId: string;
    addressKey: string;
    address: string;
    contactId: string;
    position: number;
    words: string;
  };
  forgottenAddresses: {
    projectId: string;
    mailboxId: string;
    digest: Buffer;
    forgottenAt: Date;
  };
  searchSegments: {
    projectId: string;
    mailboxId: string;
    firstObjectId: string;
    lastObjectId: string;
    documents: number;
    objects: Buffer;
    terms: Buffer;
    postings: Buffer;
    part: string;
  };
  emailSegments: {
    projectId: string;
    afterId: string;
    lastId: string;
    documents: number;
    ids: Buffer | null;
    isSettled: Generated<boolean>;
  };
  emailWords: { projectId: string; segmentId: string; firstWord: string; words: string; postings: Buffer };
  mailboxVacations: {
    projectId: string;
    mailboxId: string;
    subject: string | null;
    text: string;
    html: string | null;
    startsAt: Date | null;
    endsAt: Date | null;
    days: number;
    setAt: Date;
  };
  vacationAnswers: { projectId: string; mailboxId: string; sender: string; answeredAt: Date };
  mailboxForwards: {
    projectId: string;
    mailboxId: string;
    target: string;
    keepsCopy: boolean;
    setAt: Date;
  };
  forwardFailures: {
    projectId: string;
    mailboxId: string;
    target: string;
    failures: number;
    since: Date;
    offSince: Date | null;
    reply: string;
  };
  failedForwards: { projectId: string; submissionId: string; failedAt: Generated<Date> };
}

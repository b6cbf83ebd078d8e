/** What the dashboard asks of the core. Identifiers are uuids; what belongs to a project takes its id first. */
import type {
  confirmInvitation,
  invite,
  listInvitations,
  withdrawInvitation,
} from '../../../accounts/invitations.ts';
import type { listMemberKeys } from '../../../accounts/member-keys.ts';
import type { listChanges } from '../../../accounts/list-changes.ts';
import type {
  endMemberSessions,
  listMemberSessions,
  makeMemberResetLink,
  resetMemberSecondFactor,
} from '../../../accounts/member-access.ts';
import type {
  changeMember,
  foundOrganization,
  listMembers,
  removeMember,
} from '../../../accounts/memberships.ts';
import type { changeProjectSettings, renameOrganization, renameProject } from '../../../accounts/projects.ts';
import type {
  CreatedInvitation,
  CreatedProject,
  MemberResetLink,
} from '../../../contract/dashboard/organizations.ts';
import type { SendEmail } from '../../../contract/emails.ts';
import type { ErasedStep, ErasePerson, ProjectSettings } from '../../../contract/dashboard/projects.ts';
import type { deleteOrganization, deleteProject } from '../../../retention/delete-project.ts';
import type { previewRetention } from '../../../retention/preview-retention.ts';
import type { readContentsOfOrganization } from '../../../retention/project-contents.ts';
import type { ProjectExports } from '../../../retention/project-exports.ts';
import type { ExportPlaces } from '../../../concurrency/export-places.ts';
import type { Plan } from '../../../model/plans.ts';
import type { UserIdentities } from '../../../accounts/factors/identities.ts';
import type { OpenId } from '../../../accounts/factors/openid.ts';
import type { Passkeys } from '../../../accounts/factors/passkeys.ts';
import type { SecondFactors } from '../../../accounts/factors/second-factors.ts';
import type { SignedInUser } from '../../../accounts/principal.ts';
import type { describeSessions } from '../../../accounts/describe-session.ts';
import type { ProjectKeys } from '../../../accounts/project-keys.ts';
import type { requireOperatorSignIn, requireSignIn } from '../../../accounts/required-sign-in.ts';
import type { SignedIn } from '../../../accounts/signed-in.ts';
import type {
  confirmSession,
  endSession,
  endSessionByToken,
  endSessions,
} from '../../../accounts/sessions.ts';
import type { describeLink } from '../../../accounts/sign-in-links.ts';
import type { acceptInvitation, finishReset, resetPassword, welcome } from '../../../accounts/use-links.ts';
import type { UserSignIn } from '../../../accounts/user-sign-in.ts';
import type { changePassword, renameUser } from '../../../accounts/own-user.ts';
import type { Account, SignInWays } from '../../../contract/dashboard/factors.ts';
import type { Session } from '../../../contract/dashboard/session.ts';
import type { MailboxSending } from '../../../contract/dashboard/usage.ts';
import type { SentAgain } from '../../../inspect/send-again.ts';
import type { Bound } from '../bound.ts';
import type { RoomParts } from '../rooms.ts';
import type { HttpServices } from '../services.ts';
import type { requeue } from '../../../sending/deliver/requeue.ts';
import type { sendNow } from '../../../sending/deliver/send-now.ts';
import type { eraseEmail } from '../../../retention/erase.ts';
import type { sendTemplateTest } from '../../../inspect/send-template-test.ts';
import type { EmailInspector } from '../../../inspect/email-inspector.ts';
import type { readMailboxUsage } from '../../../inspect/overview/mailbox-usage.ts';
import type { readPlanUsage } from '../../../inspect/overview/plan-usage.ts';
import type { Overviews } from '../../../inspect/overview/overview.ts';
import type { shareDirectory } from '../../../directory/shares.ts';
import type { listProjectLinks, revokeProjectLink } from '../../../file-links/project-links.ts';
import type { Aliases } from '../../../mailboxes/aliases.ts';
import type { listDashboardAliases } from '../../../mailboxes/dashboard-aliases.ts';
import type { DashboardMailboxes } from '../../../mailboxes/dashboard-mailboxes.ts';
import type { Mailboxes } from '../../../mailboxes/mailboxes.ts';
import type { unlockSending } from '../../../mailboxes/sending-lock.ts';
import type { setPassword } from '../../../mailboxes/set-password.ts';
import type {
  createAppPassword,
  listAppPasswords,
  revokeAppPassword,
} from '../../../mailboxes/sign-in/app-passwords.ts';
import type {
  endMailboxSessions,
  readSignIns,
  removeMailboxSecondFactor,
} from '../../../mailboxes/sign-in/mailbox-access.ts';
import type { unlockMailbox } from '../../../mailboxes/sign-in/unlock.ts';
import type { Accepted } from '../../../sending/accept/accept-email.ts';
import type { AccountMail } from '../../../sending/service-mail/account-mail.ts';
import type { EmailSearch } from '../../../sending/search/email-search.ts';
import type { SuppressionSearch } from '../../../sending/suppress/suppression-search.ts';
import type { TemplatePages } from '../../../templates/template-pages.ts';

export interface DashboardServices {
  /** What the operations that rooms declare are run with. */
  readonly parts: RoomParts;
  /** The ways in beside a password. */
  readonly factors: {
    second: SecondFactors<string>;
    passkeys: Passkeys<string>;
    identities: UserIdentities;
    /** null: no provider is set up */
    openid: OpenId | null;
    ways(): SignInWays;
    account(userId: string): Promise<Account>;
  };
  /** What the service itself writes to people. */
  readonly accountMail: Pick<AccountMail, 'requestReset' | 'sendInvitation' | 'tellSecondFactorIsOff'>;
  /** Who a token belongs to. */
  readonly signedIn: Pick<SignedIn, 'find' | 'look'>;
  readonly signIn: Pick<UserSignIn, 'prove' | 'enter'>;
  /** What somebody may open, and what the pages tell of this installation. */
  describeSession(user: SignedInUser, csrfToken: string): Promise<Session>;
  readonly sessions: {
    list: Bound<typeof describeSessions>;
    confirm: Bound<typeof confirmSession>;
    end: Bound<typeof endSession>;
    endAll: Bound<typeof endSessions>;
    endByToken: Bound<typeof endSessionByToken>;
  };
  readonly links: {
    describe: Bound<typeof describeLink>;
    welcome: Bound<typeof welcome>;
    resetPassword: Bound<typeof resetPassword>;
    finishReset: Bound<typeof finishReset>;
    acceptInvitation(
      token: string,
      account: Parameters<typeof acceptInvitation>[2],
      signedInId: string | null,
    ): ReturnType<typeof acceptInvitation>;
  };
  readonly organizations: {
    rename: Bound<typeof renameOrganization>;
    createProject(organizationId: string, name: string, plan: Plan | undefined): Promise<CreatedProject>;
    create: Bound<typeof foundOrganization>;
    contents: Bound<typeof readContentsOfOrganization>;
    delete: Bound<typeof deleteOrganization>;
    members: Bound<typeof listMembers>;
    changeMember: Bound<typeof changeMember>;
    removeMember: Bound<typeof removeMember>;
    memberKeys: Bound<typeof listMemberKeys>;
    requireSignIn: Bound<typeof requireSignIn>;
    requireOperatorSignIn: Bound<typeof requireOperatorSignIn>;
    memberSessions: Bound<typeof listMemberSessions>;
    endMemberSessions: Bound<typeof endMemberSessions>;
    resetMemberSecondFactor: Bound<typeof resetMemberSecondFactor>;
    makeMemberResetLink(
      by: Parameters<typeof makeMemberResetLink>[1],
      userId: string,
    ): Promise<MemberResetLink | null>;
    invitations: Bound<typeof listInvitations>;
    invite(
      organizationId: string,
      inviter: Parameters<typeof invite>[2],
      invited: Parameters<typeof invite>[3],
    ): Promise<CreatedInvitation>;
    confirmInvitation: Bound<typeof confirmInvitation>;
    withdrawInvitation: Bound<typeof withdrawInvitation>;
    changes: Bound<typeof listChanges>;
  };
  readonly projects: {
    rename: Bound<typeof renameProject>;
    usage: Bound<typeof readPlanUsage>;
    mailboxUsage: Bound<typeof readMailboxUsage>;
    mailboxSending(projectId: string, mailboxId: string): Promise<MailboxSending | null>;
    settings(projectId: string): Promise<ProjectSettings>;
    change: Bound<typeof changeProjectSettings>;
    previewRetention: Bound<typeof previewRetention>;
    erasePerson(projectId: string, person: ErasePerson): Promise<ErasedStep>;
    contents: Bound<typeof readContentsOfOrganization>;
    delete: Bound<typeof deleteProject>;
  };
  readonly exports: ProjectExports;
  /** Of exports of all kinds. */
  readonly exportPlaces: ExportPlaces;
  /** Whoever is signed in. */
  readonly user: {
    changePassword: Bound<typeof changePassword>;
    rename: Bound<typeof renameUser>;
  };
  readonly apiKeys: ProjectKeys;
  /** What the page of one email shows. */
  readonly inspector: Pick<EmailInspector, 'describe' | 'content' | 'source' | 'preview' | 'previewOf'>;
  /** One email. False: not an email of this project. */
  readonly email: {
    cancel: HttpServices['cancelEmail'];
    sendNow: Bound<typeof sendNow>;
    /** How many recipients are due again. */
    retry: Bound<typeof requeue>;
    erase: Bound<typeof eraseEmail>;
  };
  /** See `sendAgain`. Null: not an email of this project. */
  sendAgain(
    projectId: string,
    emailId: string,
    key: string,
    traceParent: string | null,
  ): Promise<SentAgain | null>;
  sendComposed(
    projectId: string,
    email: SendEmail,
    key: string,
    traceParent: string | null,
  ): Promise<Accepted>;
  /** See `sendTest`. Null: the project is gone. */
  sendTest(projectId: string, to: string, key: string, traceParent: string | null): Promise<Accepted | null>;
  readonly templatePages: Pick<TemplatePages, 'preview' | 'filled'>;
  /** See `sendTemplateTest`. */
  sendTemplateTest(
    projectId: string,
    content: Parameters<typeof sendTemplateTest>[2],
    options: Parameters<typeof sendTemplateTest>[3],
  ): ReturnType<typeof sendTemplateTest>;
  readonly overviews: Pick<Overviews, 'read' | 'readCharts' | 'readStart'>;
  readonly shares: { create: Bound<typeof shareDirectory> };
  readonly mailboxes: Mailboxes;
  /** What the API does not show of them. */
  readonly mailboxPages: DashboardMailboxes;
  /** Who may open a mailbox, and who does. */
  readonly mailboxAccess: {
    setPassword: Bound<typeof setPassword>;
    removeSecondFactor: Bound<typeof removeMailboxSecondFactor>;
    unlock: Bound<typeof unlockMailbox>;
    unlockSending: Bound<typeof unlockSending>;
    listAppPasswords: Bound<typeof listAppPasswords>;
    createAppPassword: Bound<typeof createAppPassword>;
    revokeAppPassword: Bound<typeof revokeAppPassword>;
    signIns: Bound<typeof readSignIns>;
    endSessions: Bound<typeof endMailboxSessions>;
  };
  readonly aliases: Aliases;
  listAliases: Bound<typeof listDashboardAliases>;
  /** Large files that mailboxes sent as links. */
  fileLinks: { list: Bound<typeof listProjectLinks>; revoke: Bound<typeof revokeProjectLink> };
  readonly emailSearch: Pick<EmailSearch, 'search' | 'exporting'>;
  readonly suppressionSearch: Pick<SuppressionSearch, 'exporting'>;
}

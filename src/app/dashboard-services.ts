/** What the dashboard is served: the parts of the core, built once for a process. No logic. */
import { describeAccount } from '../accounts/factors/describe-account.ts';
import { UserIdentities } from '../accounts/factors/identities.ts';
import { OpenId } from '../accounts/factors/openid.ts';
import { Passkeys } from '../accounts/factors/passkeys.ts';
import { SecondFactors } from '../accounts/factors/second-factors.ts';
import { USERS } from '../accounts/factors/user-realm.ts';
import { Tickets } from '../accounts/factors/tickets.ts';
import { describeSession, describeSessions } from '../accounts/describe-session.ts';
import { confirmInvitation, invite, listInvitations, withdrawInvitation } from '../accounts/invitations.ts';
import { listChanges } from '../accounts/list-changes.ts';
import {
  endMemberSessions,
  listMemberSessions,
  makeMemberResetLink,
  resetMemberSecondFactor,
} from '../accounts/member-access.ts';
import { listMemberKeys } from '../accounts/member-keys.ts';
import { changeMember, foundOrganization, listMembers, removeMember } from '../accounts/memberships.ts';
import {
  changeProjectSettings,
  createProject,
  describeProjectSettings,
  renameOrganization,
  renameProject,
} from '../accounts/projects.ts';
import { encodeId } from '../model/ids.ts';
import { changePassword, renameUser } from '../accounts/own-user.ts';
import { confirmSession, endSession, endSessionByToken, endSessions } from '../accounts/sessions.ts';
import { linkUrl } from '../accounts/link-url.ts';
import { describeLink } from '../accounts/sign-in-links.ts';
import { acceptInvitation, finishReset, resetPassword, welcome } from '../accounts/use-links.ts';
import { UserSignIn } from '../accounts/user-sign-in.ts';
import { ProjectKeys } from '../accounts/project-keys.ts';
import { requireOperatorSignIn, requireSignIn } from '../accounts/required-sign-in.ts';
import { SignedIn } from '../accounts/signed-in.ts';
import type { Session } from '../contract/dashboard/session.ts';
import { LEAST_ROLES } from '../edge/http/grantable.ts';
import type { DashboardServices } from '../edge/http/dashboard/services.ts';
import type { HttpServices } from '../edge/http/services.ts';
import { eraseEmail } from '../retention/erase.ts';
import { readNotSendingSince } from '../queue/provider-kind.ts';
import { requeue } from '../sending/deliver/requeue.ts';
import { sendNow } from '../sending/deliver/send-now.ts';
import { EmailInspector } from '../inspect/email-inspector.ts';
import { SendingAgain } from '../inspect/send-again.ts';
import { sendTemplateTest } from '../inspect/send-template-test.ts';
import { sendComposed } from '../inspect/send-composed.ts';
import { sendTest } from '../inspect/send-test.ts';
import { readMailboxSending, readMailboxUsage } from '../inspect/overview/mailbox-usage.ts';
import { readPlanUsage } from '../inspect/overview/plan-usage.ts';
import { Overviews } from '../inspect/overview/overview.ts';
import { listProjectLinks, revokeProjectLink } from '../file-links/project-links.ts';
import { listDashboardAliases } from '../mailboxes/dashboard-aliases.ts';
import { DashboardMailboxes } from '../mailboxes/dashboard-mailboxes.ts';
import type { Database } from '../db/database.ts';
import { findLocal } from '../mailboxes/local-addresses.ts';
import { unlockSending } from '../mailboxes/sending-lock.ts';
import { setPassword } from '../mailboxes/set-password.ts';
import {
  createAppPassword,
  listAppPasswords,
  revokeAppPassword,
} from '../mailboxes/sign-in/app-passwords.ts';
import {
  endMailboxSessions,
  readSignIns,
  removeMailboxSecondFactor,
} from '../mailboxes/sign-in/mailbox-access.ts';
import { unlockMailbox } from '../mailboxes/sign-in/unlock.ts';
import { AppError } from '../model/app-error.ts';
import { ExportPlaces } from '../concurrency/export-places.ts';
import { countAccepted } from '../observe/instruments.ts';
import { VERSION } from '../model/version.ts';
import { deleteOrganization, deleteProject } from '../retention/delete-project.ts';
import { eraseInSteps } from '../retention/erase-in-steps.ts';
import { previewRetention } from '../retention/preview-retention.ts';
import { readContents, readContentsOfOrganization } from '../retention/project-contents.ts';
import { ProjectExports } from '../retention/project-exports.ts';
import { EmailSearch } from '../sending/search/email-search.ts';
import { shareDirectory } from '../directory/shares.ts';
import type { Core } from './core.ts';
import { submissionOf } from './mail-access.ts';

/** @param http what the API is served of emails is served here too. The services are closed with the core. */
export function createDashboardServices(
  core: Core,
  http: Pick<HttpServices, 'acceptEmail' | 'cancelEmail'>,
): DashboardServices {
  const { accountMail, baseUrl, config, database, logger, stack, wake } = core;
  const { mailboxes, aliases, mailAccess } = core;
  const reads = core.reads('dashboard');
  const sending = new SendingAgain({ database, acceptEmail: http.acceptEmail });
  const bound =
    <Rest extends unknown[], Result>(call: (database: Database, ...rest: Rest) => Result) =>
    (...rest: Rest): Result =>
      call(database, ...rest);
  return {
    parts: core,
    factors: createFactors(core),
    accountMail,
    signedIn: new SignedIn(database),
    signIn: stack.use(new UserSignIn({ database, logger })),
    describeSession: async (user, csrfToken) => ({
      ...(await describeSession(database, user, csrfToken)),
      service: await serviceFacts(core),
    }),
    apiKeys: new ProjectKeys(database, LEAST_ROLES),
    inspector: stack.use(
      new EmailInspector({
        reads: core.reads('inspect'),
        hostname: config.hostname,
        composing: core.composing,
      }),
    ),
    sendAgain: (...again) => sending.send(...again),
    sendComposed: (...email) => sendComposed({ database, acceptEmail: http.acceptEmail }, ...email),
    sendTest: (...test) =>
      sendTest({ database, acceptEmail: http.acceptEmail, hostedDomain: config.hostedDomain }, ...test),
    email: {
      cancel: http.cancelEmail,
      async sendNow(...email) {
        const isThere = await sendNow(database, ...email);
        wake();
        return isThere;
      },
      async retry(...email) {
        const recipients = await requeue(database, ...email);
        wake();
        return recipients;
      },
      erase: bound(eraseEmail),
    },
    sessions: {
      list: bound(describeSessions),
      confirm: bound(confirmSession),
      end: bound(endSession),
      endAll: bound(endSessions),
      endByToken: bound(endSessionByToken),
    },
    links: {
      describe: bound(describeLink),
      welcome: bound(welcome),
      resetPassword: bound(resetPassword),
      finishReset: bound(finishReset),
      acceptInvitation: (token, account, signedInId) =>
        acceptInvitation(
          database,
          token,
          account,
          signedInId,
          async (tx, address) => (await findLocal(tx, address)) !== null,
        ),
    },
    organizations: {
      rename: bound(renameOrganization),
      createProject: async (organizationId, name, plan = config.defaultPlan) => {
        const id = await createProject(database, organizationId, name, plan);
        return { id: encodeId('prj', id), name };
      },
      create: bound(foundOrganization),
      contents: (organizationId) =>
        reads.run(organizationId, (pool) => readContentsOfOrganization(pool, organizationId)),
      delete: bound(deleteOrganization),
      members: bound(listMembers),
      changeMember: bound(changeMember),
      removeMember: bound(removeMember),
      memberKeys: bound(listMemberKeys),
      requireSignIn: bound(requireSignIn),
      requireOperatorSignIn: bound(requireOperatorSignIn),
      memberSessions: bound(listMemberSessions),
      endMemberSessions: bound(endMemberSessions),
      resetMemberSecondFactor: bound(resetMemberSecondFactor),
      makeMemberResetLink: async (by, userId) => {
        const link = await makeMemberResetLink(database, by, userId);
        if (link === null) return null;
        const url = linkUrl(baseUrl(), 'reset', link.token);
        return { url, expires_at: link.expiresAt.toISOString() };
      },
      invitations: bound(listInvitations),
      invite: async (organizationId, inviter, invited) => {
        const retryAfterSeconds = await accountMail.takeInvitation(organizationId, invited.email);
        if (retryAfterSeconds > 0)
          throw new AppError(
            'rate-limited',
            'Some invitations were sent already. Hand on the link of the last one, or try again later.',
            { retryAfterSeconds },
          );
        const local = await findLocal(database, invited.email);
        const readers = local?.organizationIds ?? null;
        const { invitation, linkId, token } = await invite(
          database,
          organizationId,
          inviter,
          invited,
          readers,
        );
        if (local === null) accountMail.sendInvitation(linkId);
        const url = linkUrl(baseUrl(), 'invitation', token);
        return { ...invitation, is_mailed: local === null, url };
      },
      confirmInvitation: bound(confirmInvitation),
      withdrawInvitation: bound(withdrawInvitation),
      changes: (organizationId, query) =>
        reads.run(organizationId, (pool) => listChanges(pool, organizationId, query)),
    },
    projects: {
      rename: bound(renameProject),
      usage: (projectId) => reads.run(projectId, (pool) => readPlanUsage(pool, projectId)),
      mailboxUsage: (projectId, query) =>
        reads.run(projectId, (pool) => readMailboxUsage(pool, projectId, query)),
      mailboxSending: (projectId, mailboxId) =>
        reads.run(projectId, (pool) => readMailboxSending(pool, { projectId, mailboxId })),
      settings: (projectId) => describeProjectSettings(database, projectId, config.keepDays),
      change: bound(changeProjectSettings),
      previewRetention: (projectId, days) =>
        reads.run(projectId, (pool) => previewRetention(pool, projectId, days)),
      erasePerson: (projectId, person) => eraseInSteps({ database, reads }, projectId, person),
      contents: (projectId) => reads.run(projectId, (pool) => readContents(pool, [projectId])),
      delete: bound(deleteProject),
    },
    exports: new ProjectExports(database, reads),
    exportPlaces: new ExportPlaces(countAccepted),
    user: { changePassword: bound(changePassword), rename: bound(renameUser) },
    templatePages: core.templatePages,
    sendTemplateTest: (...test) => sendTemplateTest({ database, acceptEmail: http.acceptEmail }, ...test),
    mailboxes,
    aliases,
    listAliases: bound(listDashboardAliases),
    fileLinks: {
      list: (projectId, cursor) => reads.run(projectId, (pool) => listProjectLinks(pool, projectId, cursor)),
      revoke: bound(revokeProjectLink),
    },
    mailboxPages: new DashboardMailboxes({ reads, mailAccess }),
    mailboxAccess: {
      setPassword: bound(setPassword),
      removeSecondFactor: bound(removeMailboxSecondFactor),
      unlock: bound(unlockMailbox),
      unlockSending: bound(unlockSending),
      listAppPasswords: bound(listAppPasswords),
      createAppPassword: bound(createAppPassword),
      revokeAppPassword: bound(revokeAppPassword),
      signIns: bound(readSignIns),
      endSessions: bound(endMailboxSessions),
    },
    emailSearch: new EmailSearch(core.reads('search')),
    shares: { create: bound(shareDirectory) },
    suppressionSearch: core.suppressionSearch,
    overviews: new Overviews(reads),
  };
}

function createFactors({ database, sealer, logger, baseUrl, config }: Core): DashboardServices['factors'] {
  const { openId: provider, environment } = config;
  const tickets = new Tickets(database, sealer, 'dashboard');
  const identities = new UserIdentities(database);
  const passkeys = new Passkeys({ realm: USERS, database, tickets, baseUrl });
  const allowsHttp = environment === 'development';
  const openid =
    provider === null ? null : new OpenId({ provider, allowsHttp, tickets, identities, baseUrl, logger });
  return {
    second: new SecondFactors({ realm: USERS, database, sealer, tickets, logger }),
    passkeys,
    identities,
    openid,
    ways: () => ({
      openid: openid === null ? null : { name: openid.name },
      passkeys_at: new URL(baseUrl()).origin,
      sends_mail: config.provider !== null && config.provider !== 'sandbox',
    }),
    account: (userId) => describeAccount({ database, passkeys, identities }, userId),
  };
}

async function serviceFacts({ database, config, baseUrl, mailAccess }: Core): Promise<Session['service']> {
  const { environment, provider, hostedDomain } = config;
  const submission = mailAccess.services
    .filter(({ protocol }) => protocol === 'submission')
    .map(({ port, security }) => ({ port, security }));
  return {
    version: VERSION,
    environment,
    provider: provider ?? 'none',
    hosted_domain: hostedDomain,
    not_sending_since: (await readNotSendingSince(database))?.toISOString() ?? null,
    hostname: submissionOf(mailAccess)?.host ?? mailAccess.hostname,
    base_url: baseUrl(),
    submission,
  };
}

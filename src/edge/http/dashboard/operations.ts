/** Every operation of the dashboard, in the order of its document. */
import { addPasskey } from './account/add-passkey.ts';
import { confirmTotp } from './account/confirm-totp.ts';
import { getAccount } from './account/get-account.ts';
import { makeRecoveryCodes } from './account/make-recovery-codes.ts';
import { removePasskey } from './account/remove-passkey.ts';
import { removeTotp } from './account/remove-totp.ts';
import { renamePasskey } from './account/rename-passkey.ts';
import { startPasskey } from './account/start-passkey.ts';
import { startTotp } from './account/start-totp.ts';
import { unlinkIdentity } from './account/unlink-identity.ts';
import { createApiKey } from './api-keys/create-api-key.ts';
import { listApiKeys } from './api-keys/list-api-keys.ts';
import { renameApiKey } from './api-keys/rename-api-key.ts';
import { revokeApiKey } from './api-keys/revoke-api-key.ts';
import { createShare } from './directory/create-share.ts';
import { acceptInvitation } from './links/accept-invitation.ts';
import { requestReset } from './links/request-reset.ts';
import { resetPassword } from './links/reset-password.ts';
import { welcome } from './links/welcome.ts';
import { exportEmails } from './emails/export-emails.ts';
import { composeEmail } from './emails/compose-email.ts';
import { sendTestEmail } from './emails/send-test-email.ts';
import { dashboardOperations, namedDashboardOperations } from './operation.ts';
import { inOrder, ROOMS } from '../rooms.ts';
import { getEmailPreview } from './email/get-email-preview.ts';
import { getEmailSource } from './email/get-email-source.ts';
import { sendEmailAgain } from './email/send-email-again.ts';
import { exportChanges } from './organizations/export-changes.ts';
import { requireSignIn } from './organizations/require-sign-in.ts';
import { requireOperatorSignIn } from './system/require-operator-sign-in.ts';
import { exportOrganization } from './organizations/export-organization.ts';
import { exportProject } from './projects/export-project.ts';
import { confirmSession } from './session/confirm-session.ts';
import { getSession } from './session/get-session.ts';
import { signIn } from './session/sign-in.ts';
import { signOut } from './session/sign-out.ts';
import { askConfirmationPasskey } from './session/ask-confirmation-passkey.ts';
import { finishOpenIdConfirmation } from './session/finish-openid-confirmation.ts';
import { startOpenIdConfirmation } from './session/start-openid-confirmation.ts';
import { askPasskey } from './sign-in/ask-passkey.ts';
import { finishOpenId } from './sign-in/finish-openid.ts';
import { getSignInWays } from './sign-in/get-sign-in-ways.ts';
import { provePasskey } from './sign-in/prove-passkey.ts';
import { proveSecondFactor } from './sign-in/prove-second-factor.ts';
import { startOpenId } from './sign-in/start-openid.ts';
import { exportSuppressions } from './suppressions/export-suppressions.ts';
import { getRawOperatorMessage } from './system/get-raw-operator-message.ts';
import { getTemplatePreview } from './templates/get-template-preview.ts';
import { sendTemplateTest } from './templates/send-template-test.ts';
import { changePassword } from './user/change-password.ts';
import { listProjectFileLinks } from './file-links/list-project-file-links.ts';
import { revokeProjectFileLink } from './file-links/revoke-project-file-link.ts';

/** Of the document. */
const ORDER = [
  'getSignInWays',
  'signIn',
  'proveSecondFactor',
  'askPasskey',
  'provePasskey',
  'startOpenId',
  'finishOpenId',
  'getSession',
  'getStart',
  'getOverview',
  'getMetrics',
  'signOut',
  'confirmSession',
  'askConfirmationPasskey',
  'startOpenIdConfirmation',
  'finishOpenIdConfirmation',
  'listSessions',
  'endOtherSessions',
  'endSession',
  'findLink',
  'welcome',
  'requestReset',
  'resetPassword',
  'acceptInvitation',
  'updateUser',
  'changePassword',
  'createOrganization',
  'updateOrganization',
  'requireSignIn',
  'getOrganizationContents',
  'exportOrganization',
  'deleteOrganization',
  'createProject',
  'getUsage',
  'listMailboxUsage',
  'getProjectSettings',
  'updateProject',
  'previewRetention',
  'erasePerson',
  'setRetention',
  'getProjectContents',
  'exportProject',
  'deleteProject',
  'listMembers',
  'updateMember',
  'removeMember',
  'listMemberKeys',
  'listMemberSessions',
  'endMemberSessions',
  'endMemberSession',
  'resetMemberSecondFactor',
  'makeMemberResetLink',
  'listInvitations',
  'createInvitation',
  'confirmInvitation',
  'withdrawInvitation',
  'listChanges',
  'exportChanges',
  'getDoctor',
  'runDoctor',
  'getSystemQueue',
  'pauseQueue',
  'resumeQueue',
  'withdrawQueue',
  'holdDestination',
  'resumeDestination',
  'tryDestination',
  'listProcesses',
  'getStorage',
  'listStatements',
  'listCertificates',
  'listTlsResults',
  'getLogLevel',
  'raiseLogLevel',
  'resetLogLevel',
  'getOperatorSignIn',
  'requireOperatorSignIn',
  'getVersions',
  'listOperatorMail',
  'getOperatorMessage',
  'getRawOperatorMessage',
  'deleteOperatorMessage',
  'listSystemChanges',
  'getAccount',
  'startTotp',
  'confirmTotp',
  'removeTotp',
  'makeRecoveryCodes',
  'startPasskey',
  'addPasskey',
  'renamePasskey',
  'removePasskey',
  'unlinkIdentity',
  'listApiKeys',
  'createApiKey',
  'renameApiKey',
  'revokeApiKey',
  'listDomains',
  'addDomain',
  'getDomain',
  'removeDomain',
  'checkDomain',
  'setDomainTracking',
  'startDkimRotation',
  'cancelDkimRotation',
  'listEmails',
  'exportEmails',
  'composeEmail',
  'sendTestEmail',
  'getInspectedEmail',
  'getEmailContent',
  'getEmailSource',
  'getEmailPreview',
  'sendEmailAgain',
  'sendEmailNow',
  'cancelEmail',
  'retryEmail',
  'eraseEmail',
  'listTemplates',
  'createTemplate',
  'getTemplate',
  'updateTemplate',
  'deleteTemplate',
  'saveTemplateDraft',
  'discardTemplateDraft',
  'getTemplatePreview',
  'sendTemplateTest',
  'listTemplateVersions',
  'getTemplateVersion',
  'listWebhooks',
  'createWebhook',
  'getWebhook',
  'updateWebhook',
  'deleteWebhook',
  'testWebhook',
  'getWebhookActivity',
  'listWebhookDeliveries',
  'getWebhookDelivery',
  'replayWebhookDelivery',
  'countFailedDeliveries',
  'replayFailedDeliveries',
  'stopWebhookReplay',
  'rotateWebhookSecret',
  'finishSecretRotation',
  'cancelSecretRotation',
  'listMailboxes',
  'createMailbox',
  'getMailbox',
  'getMailboxSending',
  'updateMailbox',
  'deleteMailbox',
  'setMailboxPassword',
  'removeMailboxSecondFactor',
  'unlockMailbox',
  'listAppPasswords',
  'createAppPassword',
  'revokeAppPassword',
  'getMailboxSignIns',
  'endMailboxSessions',
  'getMailboxFiling',
  'addMailboxRule',
  'changeMailboxRule',
  'removeMailboxRule',
  'blockSender',
  'unblockSender',
  'setVacation',
  'endVacation',
  'setForwarding',
  'endForwarding',
  'listAliases',
  'createAlias',
  'updateAlias',
  'deleteAlias',
  'listProjectFileLinks',
  'revokeProjectFileLink',
  'listSuppressions',
  'addSuppressions',
  'explainSuppression',
  'removeSuppressions',
  'importSuppressions',
  'exportSuppressions',
  'listPeople',
  'createPerson',
  'changePerson',
  'deletePerson',
  'listShares',
  'createShare',
  'deleteShare',
];

export const DASHBOARD_OPERATIONS = namedDashboardOperations(
  inOrder(
    ORDER,
    {
      getSignInWays,
      signIn,
      proveSecondFactor,
      askPasskey,
      provePasskey,
      startOpenId,
      finishOpenId,
      getSession,
      signOut,
      confirmSession,
      askConfirmationPasskey,
      startOpenIdConfirmation,
      finishOpenIdConfirmation,
      welcome,
      requestReset,
      resetPassword,
      acceptInvitation,
      changePassword,
      requireSignIn,
      exportOrganization,
      exportProject,
      exportChanges,
      requireOperatorSignIn,
      getRawOperatorMessage,
      getAccount,
      startTotp,
      confirmTotp,
      removeTotp,
      makeRecoveryCodes,
      startPasskey,
      addPasskey,
      renamePasskey,
      removePasskey,
      unlinkIdentity,
      listApiKeys,
      createApiKey,
      renameApiKey,
      revokeApiKey,
      exportEmails,
      composeEmail,
      sendTestEmail,
      getEmailSource,
      getEmailPreview,
      sendEmailAgain,
      getTemplatePreview,
      sendTemplateTest,
      listProjectFileLinks,
      revokeProjectFileLink,
      exportSuppressions,
      createShare,
    },
    dashboardOperations(ROOMS),
  ),
);

import { getAccount, readAccount, type SesAccountLimits } from '../../sending/deliver/ses/account.ts';
import { judge, readAnswer } from '../../sending/deliver/ses/answer.ts';
import { SesClient } from '../../sending/deliver/ses/ses-client.ts';
import type { SesAccount } from '../../app/config.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

/** Of the quota of a day. */
const NEARLY_ALL = 0.9;

/** Whether Amazon SES takes the credentials, lets the account send, and tells what becomes of its mail. */
export async function checkSes({ timeoutMs }: Pick<World, 'timeoutMs'>, ses: SesAccount): Promise<Finding> {
  const client = new SesClient({ ...ses, maxConnections: 1, waitMs: timeoutMs });
  const result = await getAccount(client);
  await client.close();
  const where = `Amazon SES (${new URL(client.origin).hostname})`;
  if (result.kind !== 'answer') {
    return problem(
      `${where} cannot be asked: ${'why' in result ? result.why : 'broken off'}.`,
      'See whether this machine reaches the internet over https, and whether POSTHORN_SES_REGION is right.',
    );
  }
  const account = result.status === 200 ? readAccount(result.body) : null;
  if (account !== null) return judgeAccount(where, account, ses);
  const answer = readAnswer(result.status, result.errorType, result.body);
  const said = `${where} answers ${answer.status}${answer.errorType === null ? '' : ` ${answer.errorType}`}.`;
  if (answer.errorType === 'AccessDenied') {
    return warning(
      `${said} So what the account may send cannot be told.`,
      'Allow ses:GetAccount in the policy of the IAM user, beside ses:SendEmail and ses:SendRawEmail.',
    );
  }
  return problem(
    said,
    judge(answer) === 'access'
      ? 'Put POSTHORN_SES_ACCESS_KEY_ID and POSTHORN_SES_SECRET_ACCESS_KEY right, and see whether the clock of this machine is.'
      : 'Put POSTHORN_SES_REGION, or POSTHORN_SES_ENDPOINT, right.',
  );
}

function judgeAccount(where: string, account: SesAccountLimits, ses: SesAccount): Finding {
  const { maxSendRate, max24HourSend, sentLast24Hours, productionAccess, sendingEnabled } = account;
  if (sendingEnabled === false) {
    return problem(`${where} has paused the account.`, 'The console of SES says why, and what to do.');
  }
  if (productionAccess === false) {
    return warning(
      `The account is in the sandbox of ${where}: mail goes to verified identities only.`,
      'Ask for production access in the console of SES.',
    );
  }
  if (max24HourSend !== null && max24HourSend > 0 && (sentLast24Hours ?? 0) >= max24HourSend * NEARLY_ALL) {
    return warning(
      `${sentLast24Hours} of the ${max24HourSend} messages that ${where} takes a day are sent: the rest waits.`,
      'Ask for a higher quota in the console of SES.',
    );
  }
  if (ses.configurationSet === null || ses.topicArn === null) {
    return warning(
      `${where} takes the credentials. Nobody hears of bounces and complaints: POSTHORN_SES_CONFIGURATION_SET or POSTHORN_SES_TOPIC_ARN is not set.`,
      'Set both: docs/operate/ses.md, "Feedback".',
    );
  }
  return ok(`${where} takes the credentials, and ${maxSendRate} messages a second.`);
}

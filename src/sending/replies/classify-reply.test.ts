import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { BOUNCE_CATEGORIES, type BounceCategory } from '../../model/bounce.ts';
import { classifyReply } from './classify-reply.ts';
import { findEnhancedCodes, findReplyCode } from './reply-codes.ts';

type Verdict = [type: 'hard' | 'soft', category: BounceCategory, suppress?: 'suppress'];

const UNKNOWN: Verdict = ['hard', 'unknown_user', 'suppress'];
const NO_DOMAIN: Verdict = ['hard', 'dns', 'suppress'];
const FULL: Verdict = ['soft', 'mailbox_full'];
const LARGE: Verdict = ['soft', 'message_too_large'];
const CONTENT: Verdict = ['soft', 'content'];
const POLICY: Verdict = ['soft', 'policy'];
const REPUTATION: Verdict = ['soft', 'reputation'];
const AUTH: Verdict = ['soft', 'auth'];
const NETWORK: Verdict = ['soft', 'network'];
const EXPIRED: Verdict = ['soft', 'expired'];
const OFF: Verdict = ['soft', 'unknown_user', 'suppress'];

/** Replies as the servers of the large providers and the common programs give them. */
const REPLIES: readonly [provider: string, reply: string, verdict: Verdict][] = [
  [
    'Gmail',
    "550 5.1.1 The email account that you tried to reach does not exist. Please try double-checking the recipient's email address for typos or unnecessary spaces. https://support.google.com/mail/?p=NoSuchUser x1-20020a05 - gsmtp",
    UNKNOWN,
  ],
  [
    'Gmail',
    '550 5.2.1 The email account that you tried to reach is disabled. https://support.google.com/mail/?p=DisabledUser - gsmtp',
    OFF,
  ],
  [
    'Gmail',
    '550 5.2.1 The email account that you tried to reach is inactive. https://support.google.com/mail/?p=DisabledUser - gsmtp',
    OFF,
  ],
  [
    'Gmail',
    "452 4.2.2 The recipient's inbox is out of storage space. Please direct the recipient to https://support.google.com/mail/?p=OverQuotaTemp - gsmtp",
    FULL,
  ],
  [
    'Gmail',
    "552 5.2.2 The recipient's inbox is out of storage space and inactive. https://support.google.com/mail/?p=OverQuotaPerm - gsmtp",
    FULL,
  ],
  [
    'Gmail',
    '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered. - gsmtp',
    REPUTATION,
  ],
  [
    'Gmail',
    '550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered. - gsmtp',
    REPUTATION,
  ],
  [
    'Gmail',
    '550 5.7.1 [192.0.2.1 12] Our system has detected that this message is likely unsolicited mail. To reduce the amount of spam sent to Gmail, this message has been blocked. - gsmtp',
    CONTENT,
  ],
  [
    'Gmail',
    '550 5.7.1 [192.0.2.1 19] Our system has detected that this message is likely suspicious due to the very low reputation of the sending IP address. To best protect our users from spam, the message has been blocked. - gsmtp',
    REPUTATION,
  ],
  [
    'Gmail',
    '421 4.7.0 [192.0.2.1 15] Our system has detected an unusual rate of unsolicited mail originating from your IP address. To protect our users from spam, mail sent from your IP address has been temporarily rate limited. - gsmtp',
    REPUTATION,
  ],
  [
    'Gmail',
    '550 5.7.26 This message does not have authentication information or fails to pass authentication checks (SPF or DKIM). - gsmtp',
    AUTH,
  ],
  [
    'Gmail',
    "550 5.7.26 Unauthenticated email from example.com is not accepted due to domain's DMARC policy. - gsmtp",
    AUTH,
  ],
  [
    'Gmail',
    "550 5.7.1 [192.0.2.1] The IP you're using to send mail is not authorized to send email directly to our servers. Please use the SMTP relay at your service provider instead. - gsmtp",
    REPUTATION,
  ],
  [
    'Gmail',
    '550 5.7.1 [2001:db8::1] Our system has detected that this message does not meet IPv6 sending guidelines regarding PTR records and authentication. - gsmtp',
    REPUTATION,
  ],
  [
    'Gmail',
    '552 5.7.0 This message was blocked because its content presents a potential security issue. - gsmtp',
    CONTENT,
  ],
  ['Gmail', "552 5.3.4 Your message exceeded Google's message size limits. - gsmtp", LARGE],
  ['Gmail', '550 5.7.1 Messages missing a valid Message-ID header are not accepted. - gsmtp', CONTENT],
  ['Gmail', '550 5.4.5 Daily user sending quota exceeded. - gsmtp', FULL],
  [
    'Outlook.com',
    '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302). [AM5EUR02FT011.eop-EUR02.prod.protection.outlook.com]',
    UNKNOWN,
  ],
  [
    'Outlook.com',
    "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150).",
    REPUTATION,
  ],
  [
    'Outlook.com',
    "550 SC-001 (BAY004-MC1F12) Unfortunately, messages from 192.0.2.1 weren't sent.",
    REPUTATION,
  ],
  [
    'Outlook.com',
    "421 4.7.0 RP-001 (COL004) Unfortunately, some messages from 192.0.2.1 weren't sent. Please try again.",
    REPUTATION,
  ],
  ['Outlook.com', '552 5.2.2 Requested mail action aborted: exceeded storage allocation', FULL],
  [
    'Outlook.com',
    '550 5.7.515 Access denied, sending domain example.com does not meet the required authentication level.',
    AUTH,
  ],
  [
    'Microsoft 365',
    '550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [DB5EUR01FT062.eop-EUR01.prod.protection.outlook.com]',
    UNKNOWN,
  ],
  [
    'Microsoft 365',
    '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient nobody@contoso.example not found by SMTP address lookup',
    UNKNOWN,
  ],
  ['Microsoft 365', '550 5.1.351 Remote server returned unknown recipient or mailbox unavailable', UNKNOWN],
  [
    'Microsoft 365',
    '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required; Delivery restriction check failed',
    POLICY,
  ],
  [
    'Microsoft 365',
    '550 5.7.606 Access denied, banned sending IP [192.0.2.1]. To request removal from this list please visit https://sender.office.com/',
    REPUTATION,
  ],
  [
    'Microsoft 365',
    '550 5.7.509 Access denied, sending domain example.com does not pass DMARC verification and has a DMARC policy of reject.',
    AUTH,
  ],
  [
    'Microsoft 365',
    '554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException.MapiExceptionShutoffQuotaExceeded',
    FULL,
  ],
  [
    'Microsoft 365',
    '550 5.4.310 DNS domain contoso.example does not exist [Message=InfoDomainNonexistent]',
    NO_DOMAIN,
  ],
  ['Microsoft 365', '451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (S77719)', NETWORK],
  ['Microsoft 365', '550 5.4.300 Message expired', EXPIRED],
  ['Exchange', '550 5.1.1 RESOLVER.ADR.RecipNotFound; not found', UNKNOWN],
  ['Exchange', '550 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient', LARGE],
  ['Exchange', '550 5.7.1 RESOLVER.RST.AuthRequired; authentication required', POLICY],
  ['Exchange', '550 5.7.1 Unable to relay', POLICY],
  ['Exchange', '550 5.7.1 Client does not have permissions to send as this sender', POLICY],
  [
    'Yahoo',
    "554 delivery error: dd This user doesn't have a yahoo.com account (nobody@yahoo.com) [0] - mta1234.mail.bf1.yahoo.com",
    UNKNOWN,
  ],
  ['Yahoo', '552 1 Requested mail action aborted, mailbox not found', UNKNOWN],
  [
    'Yahoo',
    '554 30 Sorry, your message to nobody@yahoo.com cannot be delivered. This mailbox is disabled (554.30).',
    OFF,
  ],
  [
    'Yahoo',
    '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints',
    REPUTATION,
  ],
  [
    'Yahoo',
    "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list",
    REPUTATION,
  ],
  [
    'Yahoo',
    '554 5.7.9 Message not accepted for policy reasons. See https://postmaster.yahooinc.com/error-codes',
    POLICY,
  ],
  ['AOL', '550 5.1.1 <nobody@aol.com>: Recipient address rejected: aol.com', UNKNOWN],
  ['AOL', '521 5.2.1 :  (CON:B1)  http://postmaster.info.aol.com/errors/554conb1.html', REPUTATION],
  ['iCloud', '550 5.1.1 <nobody@icloud.com>: user does not exist', UNKNOWN],
  ['iCloud', '552 5.2.2 <someone@icloud.com>: user is over quota', FULL],
  [
    'iCloud',
    '554 5.7.1 [CS01] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137',
    POLICY,
  ],
  ['iCloud', '550 5.7.1 Mail from IP 192.0.2.1 was rejected due to listing in Spamhaus PBL.', REPUTATION],
  ['Proofpoint', '554 5.7.0 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1', REPUTATION],
  ['Proofpoint', '550 5.1.1 User Unknown', UNKNOWN],
  [
    'Mimecast',
    '550 Rejected by header based manually Blocked Senders - https://community.mimecast.com/docs/DOC-1369#550',
    POLICY,
  ],
  ['Mimecast', '550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550 [abc.uk1]', UNKNOWN],
  [
    'Mimecast',
    '451 Internal resources are temporarily unavailable - https://community.mimecast.com/docs/DOC-1369#451',
    ['soft', 'other'],
  ],
  ['Mimecast', '550 Administrative prohibition - envelope blocked', POLICY],
  [
    'Barracuda',
    '554 Service unavailable; Client host [192.0.2.1] blocked using Barracuda Reputation; http://www.barracudanetworks.com/reputation/?r=1',
    REPUTATION,
  ],
  ['Barracuda', '550 5.7.1 Message content rejected, UBE, id=12345-01', CONTENT],
  [
    'Barracuda',
    '550 5.1.1 permanent failure for one or more recipients (nobody@example.net:550 5.1.1 User unknown)',
    UNKNOWN,
  ],
  ['IronPort', '550 #5.1.0 Address rejected.', ['hard', 'unknown_user']],
  ['IronPort', '550 #5.1.0 Address rejected nobody@example.net', ['hard', 'unknown_user']],
  [
    'IronPort',
    "554 Your access to this mail system has been rejected due to the sending MTA's poor reputation.",
    REPUTATION,
  ],
  ['IronPort', '550 5.7.1 #5.7.1 Your message was rejected by the spam filter', CONTENT],
  ['IronPort', '452 #4.1.0 Too many recipients this hour', REPUTATION],
  [
    'Postfix',
    '550 5.1.1 <nobody@example.net>: Recipient address rejected: User unknown in virtual mailbox table',
    UNKNOWN,
  ],
  [
    'Postfix',
    '550 <nobody@example.net>: Recipient address rejected: User unknown in local recipient table',
    UNKNOWN,
  ],
  [
    'Postfix',
    '450 4.1.1 <nobody@example.net>: Recipient address rejected: unverified address: connect to mx: Connection refused',
    ['soft', 'unknown_user'],
  ],
  ['Postfix', '554 5.7.1 <nobody@example.net>: Relay access denied', POLICY],
  ['Postfix', '450 4.1.8 <sender@example.com>: Sender address rejected: Domain not found', POLICY],
  [
    'Postfix',
    '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/192.0.2.1',
    REPUTATION,
  ],
  ['Postfix', '450 4.7.25 Client host rejected: cannot find your hostname, [192.0.2.1]', REPUTATION],
  ['Postfix', '504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname', POLICY],
  ['Postfix', '552 5.3.4 Message size exceeds fixed limit', LARGE],
  ['Postfix', '452 4.3.1 Insufficient system storage', ['soft', 'other']],
  [
    'Postfix',
    '5.4.4 Host or domain name not found. Name service error for name=nowhere.example type=A: Host not found',
    NO_DOMAIN,
  ],
  [
    'Postfix',
    '5.4.4 Name service error for name=example.org type=MX: Malformed or unexpected name server reply',
    NETWORK,
  ],
  ['Postfix', '4.4.1 connect to mx.example.org[192.0.2.1]:25: Connection timed out', NETWORK],
  ['Postfix', '5.4.6 mail for example.org loops back to myself', NETWORK],
  ['Postfix', '550 Unknown user someone@ntt.example (in reply to end of DATA command)', POLICY],
  ['Exim', '550 Unrouteable address', NO_DOMAIN],
  ['Exim', '550 No such user here', UNKNOWN],
  [
    'Exim',
    '550-Verification failed for <sender@example.com> 550-The mail server could not deliver mail to sender@example.com. The account or domain may not exist 550 Sender verify failed',
    POLICY,
  ],
  ['Exim', '550 relay not permitted', POLICY],
  ['Exim', 'retry timeout exceeded', EXPIRED],
  ['Exim', '550 authentication required', POLICY],
  ['Exim', 'all relevant MX records point to non-existent hosts', NO_DOMAIN],
  ['Exim', '550 Administrative prohibition', POLICY],
  ['qmail', '550 sorry, no mailbox here by that name. (#5.1.1)', UNKNOWN],
  ['qmail', "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", POLICY],
  ['qmail', '553 sorry, your envelope sender is in my badmailfrom list (#5.7.1)', POLICY],
  ['qmail', "Sorry, I couldn't find any host named nowhere.example. (#5.1.2)", NO_DOMAIN],
  ['qmail', "Sorry, I wasn't able to establish an SMTP connection. (#4.4.1)", NETWORK],
  ['qmail', 'user is over quota', FULL],
  ['qmail-ldap', '#5.2.1 Mailaddress is administrativly disabled.', OFF],
  ['vpopmail', 'Sorry, no mailbox here by that name. vpopmail (#5.1.1)', UNKNOWN],
  ['Sendmail', '550 5.1.1 <nobody@example.net>... User unknown', UNKNOWN],
  [
    'Sendmail',
    '550 5.1.2 <nobody@nowhere.example>... Host unknown (Name server: nowhere.example.: host not found)',
    NO_DOMAIN,
  ],
  ['Sendmail', '550 5.7.1 <nobody@example.net>... Relaying denied. Proper authentication required.', POLICY],
  ['Sendmail', '553 5.1.8 <a@b.example>... Domain of sender address a@b.example does not exist', POLICY],
  ['Sendmail', '553 5.3.5 system config error', ['soft', 'other']],
  ['Sendmail', '554 5.4.6 Too many hops 26 (25 max)', NETWORK],
  ['Sendmail', '551 5.7.1 User not local; please try <new@example.org>', POLICY],
  ['Zoho', '550 5.1.1 User does not exist - <nobody@zoho.example>', UNKNOWN],
  ['Zoho', '552 5.2.2 Mailbox is full - over quota', FULL],
  ['Zoho', '550 5.7.1 Email rejected per DMARC policy for example.com', AUTH],
  [
    'GMX',
    '550 Requested action not taken: mailbox unavailable For explanation visit https://postmaster.gmx.net/en/error-messages?ip=192.0.2.1&c=rmbx',
    UNKNOWN,
  ],
  [
    'GMX',
    '554 Transaction failed Reject due to policy restrictions. For explanation visit https://postmaster.gmx.net',
    POLICY,
  ],
  [
    'web.de',
    '550 Requested action not taken: mailbox unavailable invalid DNS MX or A/AAAA resource record',
    POLICY,
  ],
  [
    'web.de',
    '552 Requested mail action aborted: exceeded storage allocation Quota exceeded. The recipients mailbox is full.',
    FULL,
  ],
  ['T-Online', '550 user unknown', UNKNOWN],
  [
    'T-Online',
    '554 IP=192.0.2.1 - A problem occurred. (Ask your postmaster for help or to contact tosa@rx.t-online.de to clarify.)',
    ['soft', 'other'],
  ],
  [
    'Mail.ru',
    '550 Message was not accepted -- invalid mailbox. Local mailbox nobody@mail.ru is unavailable: user not found',
    UNKNOWN,
  ],
  [
    'Mail.ru',
    '550 5.7.1 This message was not accepted due to domain (example.com) owner DMARC policy (RFC 7489)',
    AUTH,
  ],
  ['Mail.ru', '550 spam message rejected. Please visit http://help.mail.ru/notspam-support/id?c=x', CONTENT],
  ['Yandex', '550 5.7.1 No such user!', POLICY],
  ['Yandex', '554 5.7.1 Message rejected under suspicion of SPAM; https://ya.cc/1IrBc', CONTENT],
  ['Yandex', '552 5.2.2 Mailbox size limit exceeded', FULL],
  ['QQ', '550 Mailbox not found. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022', UNKNOWN],
  ['QQ', '550 Ip frequency limited. http://service.mail.qq.com/', REPUTATION],
  ['163', '550 User not found: nobody@163.com', UNKNOWN],
  ['163', '554 DT:SPM 163 smtp10,example http://mail.163.com/help/help_spam_16.htm', CONTENT],
  [
    'Orange',
    '550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416 [416]',
    UNKNOWN,
  ],
  ['Orange', '552 5.1.1 Boite du destinataire pleine. Recipient overquota. OFR_417 [417]', FULL],
  ['Orange', '550 5.2.0 Mail rejete. Mail rejected. OFR_506 [506]', POLICY],
  ['Free', '550 5.2.1 This mailbox has been blocked due to inactivity (UserSearch)', OFF],
  [
    'Free',
    '451 too many errors from your ip (192.0.2.1), please visit http://postmaster.free.fr/',
    REPUTATION,
  ],
  ['Laposte', '550 5.5.0 Adresse destinataire invalide. Invalid recipient. LPN007_416', UNKNOWN],
  ['KDDI', '550 : User unknown', POLICY],
  ['KDDI', '550 <nobody@ezweb.ne.jp>: User unknown', UNKNOWN],
  ['SoftBank', '550 Invalid recipient: <nobody@softbank.ne.jp>', UNKNOWN],
  ['Comcast', '550 5.1.1 Not our Customer', UNKNOWN],
  [
    'Comcast',
    '554 resimta-po-12v.sys.comcast.net comcast 192.0.2.1 found on one or more DNSBLs, see http://postmaster.comcast.net/smtp-error-codes.php#BL000001',
    REPUTATION,
  ],
  ['Comcast', '421 4.1.0 192.0.2.1 Throttled - try again later.', REPUTATION],
  ['Comcast', '552 5.2.2 <someone@comcast.net> Mailbox full', FULL],
  [
    'AT&T',
    '553 5.3.0 flph829 DNSBL:RBL 521< 192.0.2.1 >_is_blocked. For assistance forward this error to abuse_rbl@abuse-att.net',
    REPUTATION,
  ],
  ['Cox', '550 5.1.0 sender rejected. Refer to Error Codes section', POLICY],
  [
    'Facebook',
    '550 5.1.1 RCP-P2 http://postmaster.facebook.com/response_codes?ip=192.0.2.1#rcp Refused due to recipient preferences',
    POLICY,
  ],
  [
    'Facebook',
    '550 5.1.1 RCP-P1 http://postmaster.facebook.com/response_codes?ip=192.0.2.1#rcp Invalid recipient',
    UNKNOWN,
  ],
  [
    'Cloudmark',
    '550 5.7.1 192.0.2.1 has been blocked by CSI: http://csi.cloudmark.com/reset-request/?ip=192.0.2.1',
    REPUTATION,
  ],
  ['SpamCop', '554 Service unavailable; Client host [192.0.2.1] blocked using bl.spamcop.net', REPUTATION],
  ['SORBS', '550 5.7.1 Dynamic IP Addresses See: http://www.sorbs.net/lookup.shtml?192.0.2.1', REPUTATION],
  [
    'Trend Micro',
    '550 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using Trend Micro Email Reputation Service',
    REPUTATION,
  ],
  ['Rackspace', '550 5.1.1 <nobody@example.net>: Recipient address rejected: User unknown', UNKNOWN],
  ['GoDaddy', '550 5.1.1 <nobody@example.net> recipient does not exist here', UNKNOWN],
  ['GoDaddy', '554 5.7.1 <someone@example.net> Message rejected; account is over quota', FULL],
  ['Amazon WorkMail', '550 5.1.1 Requested action not taken: mailbox unavailable', UNKNOWN],
  [
    'Amazon SES',
    '554 4.4.7 Message expired: unable to deliver in 840 minutes.<421 4.4.2 Connection timed out>',
    EXPIRED,
  ],
  [
    'Fastmail',
    '550 5.1.1 <nobody@fastmail.example>: Recipient address rejected: User unknown in local recipient table',
    UNKNOWN,
  ],
  [
    'Proton',
    '550 5.1.1 <nobody@proton.example>: Recipient address rejected: Address does not exist',
    UNKNOWN,
  ],
  ['Dovecot', '552 5.2.2 <someone@example.net> Quota exceeded (mailbox for user is full)', FULL],
  ['Lotus Domino', '550 nobody@example.net... No such user', UNKNOWN],
  ['Lotus Domino', '550 User nobody (nobody@example.net) not listed in Domino Directory', UNKNOWN],
  ['CommuniGate', '550 nobody@example.net unknown user account', UNKNOWN],
  ['MDaemon', '550 <nobody@example.net>, Recipient unknown', UNKNOWN],
  ['MailEnable', '550 Requested action not taken: mailbox unavailable or not local', UNKNOWN],
  ['hMailServer', '550 Unknown user', UNKNOWN],
  ['Sophos', '554 5.7.1 Message rejected: infected with EICAR virus', CONTENT],
  ['rspamd', '554 5.7.1 Spam message rejected', CONTENT],
  ['RFC 7505', '556 5.1.10 Recipient address has null MX', NO_DOMAIN],
  ['RFC 7504', '521 mail.example.net does not accept mail', NO_DOMAIN],
  ['RFC 7504', '521 mail.example.net', ['hard', 'dns']],
  ['Postfix', '521 5.5.2 mx.example.org Error: bare <LF> received', ['soft', 'other']],
  ['Postfix', '521 5.3.2 mx.example.org All server ports are busy', ['soft', 'other']],
  ['RFC 5321', '551 User not local; please try <new@example.org>', ['hard', 'unknown_user']],
  ['moved', '550 5.1.6 recipient no longer on server: someone@example.org', ['hard', 'unknown_user']],
  [
    'greylisting',
    '450 4.2.0 <a@b.example>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/',
    REPUTATION,
  ],
  ['a code against its text', '550 5.1.1 <a@b.example> 192.0.2.1 is listed in bl.spamcop.net', REPUTATION],
  ['a host with a telling name', '550 antispam.example.net: no such mailbox', UNKNOWN],
  ['a local part with a telling name', '550 <spam-mailbox-full@example.net>: user unknown', UNKNOWN],
  ['closed for good', '550 5.2.1 someone@example.org: this account has been closed', UNKNOWN],
  ['closed for good', '550 This account has been closed', UNKNOWN],
  ['closed for good', '550 5.2.1 Mailbox permanently disabled', UNKNOWN],
  ['switched off', '550 [SUSPEND] Mailbox currently suspended', OFF],
  ['switched off', '550 5.2.1 Mailbox disabled, not accepting messages', OFF],
  [
    'a suppression list',
    '5.1.1 Amazon SES has suppressed sending to this address because it has a recent history of bouncing as an invalid address.',
    ['soft', 'suppressed'],
  ],
  // A code that says "unknown recipient", and a text that says something else.
  ['any', '550 5.1.1 Your message was rejected because it contains a virus', CONTENT],
  ['any', '550 5.1.1 Mail rejected: content with spam-like characteristics', CONTENT],
  ['any', '550 5.1.1 No reverse PTR for your address', REPUTATION],
  ['any', '550 5.1.1 too many recipients, try later', REPUTATION],
  ['any', '550 5.1.1 Requested action not taken: mailbox unavailable; insufficient storage', FULL],
  ['any', '550 5.1.3 Invalid character in sender address', POLICY],
  ['any', '550 5.1.1 You are not allowed to send mail to this user', POLICY],
  ['any', '550 5.2.1 Mailbox unavailable due to excessive spam complaints about the sender', REPUTATION],
  ['any', '550 5.2.1 Mailbox temporarily disabled, not accepting messages', ['soft', 'unknown_user']],
  ['any', '550 5.1.1 account temporarily suspended', ['soft', 'unknown_user']],
  [
    'Orange',
    '550 5.1.1 Service refuse. Veuillez essayer plus tard. service refused, please try later. OFR_506',
    REPUTATION,
  ],
  [
    'GMX',
    '554-gmx.net (mxgmx117) Nemesis ESMTP Service not available 554-No SMTP service 554-Bad DNS PTR resource record. 554 For explanation visit https://postmaster.gmx.net',
    REPUTATION,
  ],
];

function read(reply: string): Parameters<typeof classifyReply>[0] {
  return { replyCode: findReplyCode(reply), enhancedCode: findEnhancedCodes(reply)[0] ?? null, text: reply };
}

describe('classifyReply', () => {
  for (const [provider, reply, [type, category, suppress]] of REPLIES) {
    it(`reads ${provider}: ${reply.slice(0, 90)}`, () => {
      assert.deepEqual(classifyReply(read(reply)), { type, category, suppress: suppress !== undefined });
    });
  }

  const none = { text: '', replyCode: null, enhancedCode: null };

  it('goes by a specific code where there is no text', () => {
    assert.deepEqual(classifyReply({ ...none, replyCode: 550, enhancedCode: '5.1.1' }), {
      type: 'hard',
      category: 'unknown_user',
      suppress: true,
    });
    assert.equal(classifyReply({ ...none, replyCode: 552, enhancedCode: '5.2.2' }).category, 'mailbox_full');
  });

  it('takes a refusal that says nothing for soft', () => {
    for (const replyCode of [null, 421, 451, 500, 550, 554]) {
      assert.equal(classifyReply({ ...none, replyCode }).type, 'soft');
    }
  });

  it('suppresses nothing on a refusal of class 4 or on 5.7.x, whatever the text says', () => {
    for (const enhancedCode of ['4.1.1', '4.0.0', '5.7.0', '5.7.1', '5.7.26', '5.7.999']) {
      for (const [, text] of REPLIES) {
        const { suppress } = classifyReply({ replyCode: null, enhancedCode, text });
        assert.equal(suppress, false, `${enhancedCode} ${text}`);
      }
    }
    assert.equal(classifyReply({ replyCode: 450, enhancedCode: null, text: 'no such user' }).type, 'soft');
  });

  it('finds no cause in what programs write around each reply', () => {
    const texts = [
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below. For further assistance, please send mail to postmaster.",
      'A message that you sent could not be delivered to one or more of its recipients. This is a permanent error. The following address(es) failed:',
      "I'm afraid I wasn't able to deliver your message to the following addresses. This is a permanent error; I've given up. Sorry it didn't work out.",
      '----- The following addresses had permanent fatal errors ----- ----- Transcript of session follows -----',
      'This is an automatically generated Delivery Status Notification. Delivery to the following recipients failed.',
      'This report relates to a message you sent with the following header fields: Your message cannot be delivered to the following recipients:',
      'Your message did not reach some or all of the intended recipients. The following recipient(s) could not be reached:',
      '** Message not delivered ** There was a problem delivering your message. See the technical details below.',
      'An error occurred while trying to deliver the mail to the following recipients:',
      'Diagnostic information for administrators: Generating server: mx.example.org',
    ];
    for (const text of texts) assert.equal(classifyReply({ ...none, text }).category, 'other', text);
  });

  it('never throws, and gives one of the categories, for any text', () => {
    const code = fc.option(fc.integer({ min: -1, max: 1_000 }), { nil: null });
    const enhanced = fc.option(fc.oneof(fc.string(), fc.constantFrom('5.1.1', '5.7.1', '4.2.2')), {
      nil: null,
    });
    fc.assert(
      fc.property(code, enhanced, anyText(), (replyCode, enhancedCode, text) => {
        const { type, category } = classifyReply({ replyCode, enhancedCode, text });
        assert.ok(type === 'hard' || type === 'soft');
        assert.ok(BOUNCE_CATEGORIES.includes(category));
      }),
    );
  });

  it('takes bounded time for hostile texts', () => {
    for (const unit of [
      'a',
      '@',
      'a@',
      ' ',
      '[',
      'a.',
      '1.',
      'user ',
      'mailbox ',
      '<a@b>',
      'in reply to ',
      '5.1.1 ',
    ]) {
      const started = performance.now();
      classifyReply(read(unit.repeat(200_000)));
      assert.ok(performance.now() - started < 500, JSON.stringify(unit));
    }
  });
});

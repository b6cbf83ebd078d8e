import { type BounceParts, ORIGINAL_MESSAGE } from './bounce-message.ts';

/** The expected result for an unknown recipient: `address action type category`. */
export const GONE = 'someone@rcpt.example failed hard unknown_user';
const FULL = 'someone@rcpt.example failed soft mailbox_full';

/** Reports and other messages in the formats of many programs, and the expected result of reading each. */
export const BOUNCE_SAMPLES: readonly [program: string, message: BounceParts, ...recipients: string[]][] = [
  [
    'Postfix',
    {
      text: `This is the mail system at host mx.rcpt.example.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients. It's attached below.

For further assistance, please send mail to postmaster.

<someone@rcpt.example>: host mx2.rcpt.example[192.0.2.1] said: 550 5.1.1
    <someone@rcpt.example>: Recipient address rejected: User unknown (in reply
    to RCPT TO command)`,
      status: `Reporting-MTA: dns; mx.rcpt.example
Arrival-Date: Thu, 01 Jan 2026 10:00:00 +0000

Final-Recipient: rfc822; someone@rcpt.example
Action: failed
Status: 5.1.1
Remote-MTA: dns; mx2.rcpt.example
Diagnostic-Code: smtp; 550 5.1.1 <someone@rcpt.example>: Recipient address
    rejected: User unknown`,
    },
    GONE,
  ],
  [
    'Postfix, rejected after the message',
    {
      text: `<someone@rcpt.example>: host mx2.rcpt.example[192.0.2.1] said: 550 Unknown user
    someone@rcpt.example (in reply to end of DATA command)`,
      status: `Reporting-MTA: dns; mx.rcpt.example

Final-Recipient: rfc822; someone@rcpt.example
Action: failed
Status: 5.0.0
Diagnostic-Code: smtp; 550 Unknown user someone@rcpt.example`,
    },
    'someone@rcpt.example failed soft policy',
  ],
  [
    'Postfix, late',
    {
      fields: ['Subject: Delayed Mail (still being retried)'],
      text: '<someone@rcpt.example>: connect to mx.rcpt.example[192.0.2.1]:25: Connection timed out',
      status: `Reporting-MTA: dns; mx.sender.example

Final-Recipient: rfc822; someone@rcpt.example
Action: delayed
Status: 4.4.1
Diagnostic-Code: X-Postfix; connect to mx.rcpt.example[192.0.2.1]:25: Connection timed out
Will-Retry-Until: Tue, 06 Jan 2026 10:00:00 +0000`,
    },
    'someone@rcpt.example delayed soft network',
  ],
  [
    'Sendmail, two recipients',
    {
      fields: ['Subject: Returned mail: see transcript for details'],
      text: `   ----- The following addresses had permanent fatal errors -----
<someone@rcpt.example>
    (reason: 550 5.1.1 <someone@rcpt.example>... User unknown)
<other@rcpt.example>
    (reason: 552 5.2.2 <other@rcpt.example>... Mailbox full)

   ----- Transcript of session follows -----
... while talking to mx.rcpt.example.:
>>> RCPT To:<someone@rcpt.example>
<<< 550 5.1.1 <someone@rcpt.example>... User unknown`,
      status: `Reporting-MTA: dns; mx.sender.example

Final-Recipient: RFC822; someone@rcpt.example
Action: failed
Status: 5.1.1
Diagnostic-Code: SMTP; 550 5.1.1 <someone@rcpt.example>... User unknown

Final-Recipient: RFC822; other@rcpt.example
Action: failed
Status: 5.2.2
Diagnostic-Code: SMTP; 552 5.2.2 <other@rcpt.example>... Mailbox full`,
    },
    GONE,
    'other@rcpt.example failed soft mailbox_full',
  ],
  [
    'old Sendmail, in words',
    {
      fields: ['Subject: Returned mail: User unknown'],
      text: `   ----- The following addresses had permanent fatal errors -----
<someone@rcpt.example>

   ----- Transcript of session follows -----
... while talking to mx.rcpt.example.:
>>> RCPT To:<someone@rcpt.example>
<<< 550 <someone@rcpt.example>... User unknown
550 <someone@rcpt.example>... User unknown

   ----- Original message follows -----

${ORIGINAL_MESSAGE}`,
    },
    GONE,
  ],
  [
    'qmail',
    {
      fields: ['Subject: failure notice'],
      text: `Hi. This is the qmail-send program at mx.rcpt.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<someone@rcpt.example>:
192.0.2.1 does not like recipient.
Remote host said: 550 sorry, no such user
Giving up on 192.0.2.1.

<other@rcpt.example>:
The users mailfolder is over the allowed quota (size). (#5.2.2)

--- Below this line is a copy of the message.

${ORIGINAL_MESSAGE}`,
    },
    GONE,
    'other@rcpt.example failed soft mailbox_full',
  ],
  [
    'Exim',
    {
      fields: ['X-Failed-Recipients: someone@rcpt.example', 'Auto-Submitted: auto-replied'],
      text: `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  someone@rcpt.example
    host mx.rcpt.example [192.0.2.1]
    SMTP error from remote mail server after RCPT TO:<someone@rcpt.example>:
    550 No such person at this address

------ This is a copy of the message, including all the headers. ------

${ORIGINAL_MESSAGE}`,
    },
    GONE,
  ],
  [
    'Courier',
    {
      fields: ['Subject: NOTICE: mail delivery status.'],
      text: `This is a delivery status notification from mx.rcpt.example,
running the Courier mail server, version 1.0.

---------------------------------------------------------------------------

                           UNDELIVERABLE MAIL

Your message to the following recipients cannot be delivered:

<someone@rcpt.example>:
    mx.rcpt.example [192.0.2.1]:
>>> RCPT TO:<someone@rcpt.example>
<<< 550 User <someone@rcpt.example> unknown`,
    },
    GONE,
  ],
  [
    'Apache James',
    {
      fields: ['Subject: [BOUNCE]', 'From: postmaster@rcpt.example'],
      text: `Hi. This is the James mail server at rcpt.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.  Below
I include the list of recipients and the reason why I was unable to deliver
your message.

Error message below:
550 - Requested action not taken: no such user here

Message details:
  Subject: Hello
  Sent date: Thu Jan 01 10:00:00 UTC 2026
  MAIL FROM: b+token@send.sender.example
  RCPT TO: someone@rcpt.example
  From: Sender <news@sender.example>
  To: someone@rcpt.example
  Size (in bytes): 2000`,
    },
    GONE,
  ],
  [
    'MailMarshal',
    {
      fields: ['Subject: Undeliverable Mail: "Hello"', 'From: MailMarshal <postmaster@rcpt.example>'],
      text: `Your message:
   From:    news@sender.example
   Subject: Hello

Could not be delivered because of

550 5.1.1 User unknown

The following recipients were affected:
    someone@rcpt.example

Additional Information`,
    },
    GONE,
  ],
  [
    'InterScan',
    {
      fields: ['Subject: Mail could not be delivered', 'From: InterScan MSS <isvw@rcpt.example>'],
      text: `************* eManager Notification **************

Your message could not be delivered to the following recipients.

Sent >>> RCPT TO:<someone@rcpt.example>
Received <<< 550 5.1.1 <someone@rcpt.example>... user unknown`,
    },
    GONE,
  ],
  [
    'Exchange 2003',
    {
      fields: ['Subject: Undeliverable: Hello', 'From: System Administrator <postmaster@rcpt.example>'],
      text: `Your message

  To:      someone@rcpt.example
  Subject: Hello
  Sent:    Thu, 1 Jan 2026 10:00:00 +0000

did not reach the following recipient(s):

someone@rcpt.example on Thu, 1 Jan 2026 10:00:00 +0000
    The recipient name is not recognized
    The MTS-ID of the original message is: c=us;a= ;p=Example;l=MX
    MSEXCH:IMS:Example:MX:SRV 0 (000C05A6) Unknown Recipient`,
    },
    GONE,
  ],
  [
    'Microsoft 365, HTML',
    {
      fields: ['Subject: Undeliverable: Hello', 'From: <postmaster@rcpt.onmicrosoft.example>'],
      text: '',
      html: `<html><head><style>p { color: red }</style></head><body><p><b>Your message to someone@rcpt.example couldn't be delivered.</b></p>
<p>someone wasn't found at rcpt.example.</p></body></html>`,
      status: `Reporting-MTA: dns;AM0.prod.outlook.example

Final-Recipient: rfc822;someone@rcpt.example
Action: failed
Status: 5.1.10
Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup`,
    },
    GONE,
  ],
  [
    'Exchange 2007, German',
    {
      fields: ['Subject: Unzustellbar: Hello', 'From: Microsoft Exchange <postmaster@rcpt.example>'],
      text: `Ihre Nachricht konnte an mindestens einen Empfänger nicht zugestellt werden:

someone@rcpt.example
Die eingegebene E-Mail-Adresse konnte nicht gefunden werden.

Diagnoseinformationen für Administratoren:
Generierender Server: mx.rcpt.example

someone@rcpt.example
#550 5.1.1 RESOLVER.ADR.RecipNotFound; not found ##`,
    },
    GONE,
  ],
  [
    'Domino',
    {
      fields: [
        'Subject: DELIVERY FAILURE: User someone (someone@rcpt.example) not listed in Domino Directory',
      ],
      text: `Your message

  Subject: Hello

was not delivered to:

  someone@rcpt.example

because:

  User someone (someone@rcpt.example) not listed in Domino Directory`,
    },
    GONE,
  ],
  [
    'Facebook',
    {
      fields: [
        'Subject: Sorry, your message could not be delivered',
        'From: Facebook <mailer-daemon@mx.fb.example>',
      ],
      text: `This message was created automatically by Facebook.

Sorry, your message could not be delivered to someone@rcpt.example.`,
      status: `Reporting-MTA: dns; mx.fb.example

Final-Recipient: rfc822; someone@rcpt.example
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 RCP-P2 http://postmaster.facebook.com/response_codes?ip=192.0.2.1#rcp Refused due to recipient preferences`,
    },
    'someone@rcpt.example failed soft policy',
  ],
  [
    'Smail 3',
    {
      fields: ['Subject: mail failed, returning to sender'],
      text: `|------------------------- Message log follows: -------------------------|
 no valid recipients were found for this message
|------------------------- Failed addresses follow: ---------------------|
 <someone@rcpt.example> ... unknown user
|------------------------- Message text follows: ------------------------|
${ORIGINAL_MESSAGE}`,
    },
    GONE,
  ],
  [
    'SmarterMail',
    {
      fields: ['Subject: Delivery Failure', 'From: System Administrator <>'],
      text: `Could not deliver message to the following recipient(s):

Failed Recipient: someone@rcpt.example
Reason: Remote host said: 552 5.2.2 Mailbox full

   -- The header and top 20 lines of the message follows --

${ORIGINAL_MESSAGE}`,
    },
    FULL,
  ],
  [
    'CommuniGate Pro',
    {
      fields: ['Subject: Undeliverable mail: Hello'],
      text: `Failed to deliver to 'someone@rcpt.example'
SMTP module(domain rcpt.example) reports:
 host mx.rcpt.example says:
 550 5.1.1 someone@rcpt.example unknown user account`,
    },
    GONE,
  ],
  [
    'GroupWise',
    {
      fields: ['Subject: Message status - undeliverable', 'From: postmaster@rcpt.example'],
      text: `The message that you sent was undeliverable to the following:
\tsomeone@rcpt.example (mailbox is full)`,
    },
    FULL,
  ],
  [
    'MDaemon',
    {
      fields: ['Subject: Permanent Delivery Failure', 'From: MDaemon at rcpt.example <MDaemon@rcpt.example>'],
      text: `The attached message had PERMANENT fatal delivery errors!

After one or more unsuccessful delivery attempts the attached message has
been removed from the mail queue on this server.

Failed address: someone@rcpt.example

--- Session Transcript ---
 Thu 2026-01-01 10:00:00: <-- 220 mx.rcpt.example ESMTP
 Thu 2026-01-01 10:00:00: --> RCPT To:<someone@rcpt.example>
 Thu 2026-01-01 10:00:00: <-- 550 5.1.1 No such user
--- End Transcript ---`,
    },
    GONE,
  ],
  [
    'OpenSMTPD',
    {
      fields: [
        'Subject: Delivery status notification: error',
        'From: Mailer Daemon <MAILER-DAEMON@mx.rcpt.example>',
      ],
      text: `    Hi!

    This is the MAILER-DAEMON, please DO NOT REPLY to this email.

    An error has occurred while attempting to deliver a message for
    the following list of recipients:

someone@rcpt.example: 550 5.1.1 <someone@rcpt.example>: no such user

    Below is a copy of the original message:

${ORIGINAL_MESSAGE}`,
    },
    GONE,
  ],
  [
    'Gmail, address not found',
    {
      fields: [
        'X-Failed-Recipients: someone@rcpt.example',
        'From: Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
      ],
      text: `** Address not found **

Your message wasn't delivered to someone@rcpt.example because the address couldn't be found, or is unable to receive mail.

The response was:

550 5.1.1 <someone@rcpt.example>: Recipient address rejected: User unknown`,
    },
    GONE,
  ],
  [
    'French words',
    {
      fields: ['Subject: Message non remis'],
      text: `Votre message n'a pas pu être remis à :

someone@rcpt.example
Utilisateur inconnu`,
    },
    GONE,
  ],
  [
    'Japanese words',
    {
      fields: ['Subject: =?ISO-2022-JP?B?GyRCJWEhPCVrJSglaSE8GyhC?=', 'From: postmaster@rcpt.example'],
      text: `送信先のメールボックスが一杯のため、送信できませんでした。
To: someone@rcpt.example`,
    },
    FULL,
  ],
  [
    'a status without its own part',
    {
      text: `Technical report:

Reporting-MTA: dns; mx.rcpt.example

Final-Recipient: rfc822; someone@rcpt.example
Action: failed
Status: 5.2.2
Diagnostic-Code: smtp; 552 5.2.2 over quota`,
    },
    FULL,
  ],
  [
    'a status without a diagnostic, below a text about policy',
    {
      text: `Our gateway rejects spam and viruses, and blocks senders on blocklists.

This message could not be delivered:

<someone@rcpt.example>`,
      status: `Reporting-MTA: dns; mx.rcpt.example

Final-Recipient: rfc822; someone@rcpt.example
Action: failed
Status: 5.1.1`,
    },
    GONE,
  ],
  [
    'RFC 6533',
    {
      text: 'Delivery failed.',
      statusType: 'message/global-delivery-status',
      status: `Reporting-MTA: dns; mx.rcpt.example

Final-Recipient: utf-8; j\\x{F6}rg@rcpt.example
Action: failed
Status: 5.1.1`,
    },
    'jörg@rcpt.example failed hard unknown_user',
  ],
  [
    'a relay that was asked for a success report',
    {
      fields: ['Subject: Successful Mail Delivery Report'],
      text: '<someone@rcpt.example>: delivery via mx.rcpt.example[192.0.2.1]:25: 250 2.0.0 Ok',
      status: `Reporting-MTA: dns; mx.sender.example

Final-Recipient: rfc822; someone@rcpt.example
Action: relayed
Status: 2.0.0
Diagnostic-Code: smtp; 250 2.0.0 Ok`,
    },
    'someone@rcpt.example relayed soft other',
  ],
  [
    'a bounce that names no recipient',
    { text: 'Your message could not be delivered: the mailbox is full.' },
    'null failed soft mailbox_full',
  ],
  [
    'a vacation reply',
    {
      fields: ['From: a@rcpt.example', 'Subject: Re: Hello', 'Auto-Submitted: auto-replied'],
      text: 'I am away until Monday.',
    },
    'other auto-reply',
  ],
  [
    'an out-of-office reply',
    {
      fields: ['From: a@rcpt.example', 'Subject: Automatic reply: Hello'],
      text: 'I am out of the office and cannot read your message until Monday. Please contact b@rcpt.example.',
    },
    'other auto-reply',
  ],
  [
    'a German out-of-office reply',
    {
      fields: ['From: a@rcpt.example', 'Subject: Abwesenheitsnotiz: Hello'],
      text: 'Ich bin bis Montag nicht im Büro. Ihre Nachricht wird nicht weitergeleitet.',
    },
    'other auto-reply',
  ],
  [
    'a reply with an encoded subject',
    {
      fields: ['From: a@rcpt.example', 'Subject: =?utf-8?Q?R=C3=A9ponse_automatique_?= =?utf-8?Q?:_Hello?='],
      text: 'Je suis absent.',
    },
    'other auto-reply',
  ],
  [
    'a challenge',
    {
      fields: ['From: a@rcpt.example', 'Subject: Re: Hello (please confirm your message)'],
      text: 'Click here so that your message is delivered: prove you are human.',
    },
    'other challenge',
  ],
  [
    'ordinary mail',
    {
      fields: ['From: a@rcpt.example', 'Subject: Re: Hello', 'Return-Path: <a@rcpt.example>'],
      text: 'Thank you! I read it with joy. Write to me at b@rcpt.example.',
    },
    'other not-a-report',
  ],
  ['an empty message', { fields: ['From: a@rcpt.example', 'Subject: '], text: '' }, 'other not-a-report'],
];

import { words } from './find-words.ts';

/** The words with which servers name the thing that they reject, and its fault. Each word has a test sample that needs the word. */

/** The things that a rejection may be about. */
export type Thing =
  | 'recipient'
  | 'sender'
  | 'client'
  | 'domain'
  | 'message'
  | 'storage'
  | 'connection'
  | 'permission'
  | 'group'
  | 'service'
  | 'other';

/** The faults that a `Thing` may have. */
export type Wrong =
  | 'missing'
  | 'not'
  | 'closedToMail'
  | 'withoutMail'
  | 'onList'
  | 'gone'
  | 'off'
  | 'moved'
  | 'full'
  | 'short'
  | 'exceeded'
  | 'denied'
  | 'blocked'
  | 'required'
  | 'unavailable';

/** Causes that a single word or phrase names, regardless of the context. */
export type Cause =
  | 'unknownUser'
  | 'program'
  | 'suppressed'
  | 'auth'
  | 'listed'
  | 'content'
  | 'relay'
  | 'wish'
  | 'quota'
  | 'lookup'
  | 'network'
  | 'expired'
  | 'policy';

export const THINGS: Readonly<Record<Thing, readonly string[]>> = {
  recipient: words(
    `user, users, userid, username, recip, recipient*, rcpt, mailbox*, mail box, inbox, account*, address*, alias*, customer, subscriber, person,
    employee, local part, destinataire*, utilisateur, adresse*, boite, boîte, empfänger*, benutzer*, postfach, usuario, destinatario, buzón, buzon,
    utente, casella, usuário, caixa, gebruiker, użytkownik, пользовател*, адрес*, ящик, 宛先, アドレス, ユーザ, メールボックス, 用户, 收件人, 邮箱, 地址,
    사용자, 사서함`,
  ),
  sender: words(
    "sender, sender's, sending domain, mail from, from address, from:, dns mx, return path, return-path, helo, ehlo, my name, envelope from",
  ),
  client: words(
    'client*, ip, ips, ip address*, your server, your host, your hostname, your network, your mail server, your access, reverse, messages from',
  ),
  domain: words('domain*, host, hosts, mx, mail exchanger, system address, smtp service'),
  message: words('message*, header*, attachment*, body, size, line'),
  storage: words('storage, space'),
  connection: words('connection*'),
  permission: words('permission*, rights, authentication'),
  group: words('group, groupe, gruppe'),
  service: words('service*, server'),
  /** Things that are not listed above, so that their faults are not mistaken for faults of the recipient. */
  other: words('system storage, file, queue, command*, parameter*, argument*, sequence, certificate'),
};

export const WRONGS: Readonly<Record<Wrong, readonly string[]>> = {
  missing: words(
    `unknown, no such, nobody, nonexistent, non-existent, inexist*, invalid*, incorrect, illegal, bad, undeliverable, missing, mismatch*, not our,
    not have, *n't have, verify failed, verification failed, nxdomain, inconnu*, introuvable, n'existe pas, unbekannt*, existiert nicht,
    nicht gefunden, desconocid*, sconosciut*, non esiste, não existe, onbekend*, bestaat niet, nie istnieje, не существует, не найден, нет такого,
    存在しません, 見つかりません, 不存在, 없습니다`,
  ),
  /** Found through `NOT` alone, as in "user not on this server". */
  not: [],
  /** Found through `NOT` followed by a word of `TAKES`. */
  closedToMail: [],
  withoutMail: words(
    'null mx, no mail accepted, answer with no data, unrouteable, unroutable, points to local host',
  ),
  onList: words('listed, found on'),
  gone: words(
    'no longer, delet*, closed, cancel*, terminated, removed, discontinued, retired, has left, permanently disabled, permanently deactivated',
  ),
  off: words(
    'disabl*, inactiv*, deactivat*, suspend*, locked, frozen, dormant, account expired, account has expired, mailbox has expired, not active, not enabled, on hold, unpaid',
  ),
  moved: words('moved, replaced by, has changed'),
  full: words(
    'full, over its, over the, over his, pleine, plein, voll, lleno, piena, cheia, переполнен*, 一杯, いっぱい, 已满',
  ),
  short: words('out of, insufficient, not enough, no more'),
  exceeded: words('exceed*, too large, too big, too long, larger'),
  denied: words(
    `reject*, denied, deny, refus*, prohibit*, forbidden, restrict*, not allowed, not permitted, not authorized, unauthorized, disallowed, not accept*,
    *n't sent`,
  ),
  blocked: words('block*, banned'),
  required: words('required'),
  unavailable: words('unavailable, not available'),
};

/** Negations. A word of `EXISTS` or `TAKES` follows. */
export const NOT: readonly string[] = words("no, not, *n't, doesnt, isnt, cannot, unable, never, none");
/** With a negation, these words mean that the address or domain does not exist. */
export const EXISTS: readonly string[] = words(
  'exist*, found, find, known, valid, recogni*, listed, registered, match*, locate*, verify, be verified, resolv*, local, record, lookup',
);
/** With a negation, these words mean that the domain accepts no mail. */
export const TAKES: readonly string[] = words('accept*, receiv*, smtp service');

export const CAUSES: Readonly<Record<Cause, readonly string[]>> = {
  // The text of Microsoft 365 for an unknown address.
  unknownUser: words('address rejected: access denied'),
  program: words('procmail, maildrop, pipe, command died, mailer error, remote protocol error'),
  suppressed: words('suppression list, suppressed'),
  auth: words(
    'spf, dkim, dmarc, unauthenticated, authentication check*, authentication information, authentication level, spoof*',
  ),
  listed: words(
    `blacklist*, black list, blocklist*, block list, *bl, *bls, spamhaus, spamcop, blocked using, reputation, reverse dns, rdns, ptr, throttl*,
    rate limit*, at a rate, frequency, too many, too fast, too quickly, greylist*, graylist*, complaint*, try later, plus tard, dynamic ip`,
  ),
  content: words(
    'spam*, spm, unsolicited, ube, virus*, malware, phish*, infected, banned file, malformed, message filtered, content rejected, security issue, bare lf',
  ),
  relay: words('relay access denied, relay denied, relaying*, not relay, to relay, relay not, rcpthosts'),
  wish: words(
    'preference*, allowed to send, agreed, mail from you, allowed to post, members only, not a member',
  ),
  quota: words('quota*, overquota'),
  lookup: words('malformed or unexpected name server reply'),
  network: words(
    `connection*, connect, timed out, timeout, unreachable, no route to, socket error, name server, name service error, nameserver, lookup failure,
    try again, loop*, hops, hop count, tls, starttls, network, ldap`,
  ),
  expired: words(
    'expired, retry time, retry timeout, too long in, queue too long, still undelivered, failing for a long time, could not be delivered for, delayed',
  ),
  policy: words('policy, policies, administrative, administratively, transaction failed'),
};

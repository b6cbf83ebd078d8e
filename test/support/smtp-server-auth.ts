import type { SmtpServerOptions } from './smtp-server-options.ts';

interface Conversation {
  challenge(text: string, next: (response: string) => void): void;
  judged(user: string, isRight: boolean): void;
  refuse(reply: string): void;
}

/** Handles AUTH PLAIN (RFC 4616), with and without an initial response, and AUTH LOGIN. */
export function takeLogin(rest: string, auth: SmtpServerOptions['auth'], conversation: Conversation): void {
  const { users = {}, mechanisms = ['PLAIN', 'LOGIN'] } = auth ?? {};
  const [mechanism = '', initial] = rest.split(' ');
  const judge = (user: string, password: string): void => {
    conversation.judged(user, Object.hasOwn(users, user) && users[user] === password);
  };
  const takePlain = (response: string): void => {
    const [, user = '', password = ''] = decode(response).split('\0');
    judge(user, password);
  };
  if (auth === undefined || !mechanisms.includes(mechanism)) {
    conversation.refuse('504 5.5.4 no such mechanism');
  } else if (mechanism === 'LOGIN') {
    conversation.challenge('VXNlcm5hbWU6', (user) => {
      conversation.challenge('UGFzc3dvcmQ6', (password) => judge(decode(user), decode(password)));
    });
  } else if (initial === undefined) {
    conversation.challenge('', takePlain);
  } else {
    takePlain(initial);
  }
}

function decode(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}

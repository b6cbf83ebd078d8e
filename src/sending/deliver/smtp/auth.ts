import { base64, plainResponse } from '../../../rfc/smtp/commands.ts';
import type { DialogueResult, SmtpDialogue } from './dialogue.ts';

/** The length of a command line that every server must accept, in octets (RFC 5321, section 4.5.3.1.4). */
const MAX_COMMAND_LINE = 512;

/**
 * Logs in with AUTH PLAIN (RFC 4616), or with AUTH LOGIN if the host does not offer PLAIN.
 * @returns the last reply; 235 means success. Neither its text nor the transcript ever contains the password
 */
export async function logIn(
  dialogue: SmtpDialogue,
  mechanisms: readonly string[],
  { username, password }: { username: string; password: string },
): Promise<DialogueResult> {
  const plain = plainResponse(username, password);
  // The longest secret is replaced first. If a shorter secret inside it were replaced first, the rest of the longer secret would stay
  // visible.
  dialogue.hide([plain ?? '', base64(password), base64(username), password]);
  if (mechanisms.includes('PLAIN') && plain !== null) return authPlain(dialogue, plain);
  if (mechanisms.includes('LOGIN')) return authLogin(dialogue, username, password);
  return { lost: 'it offers neither AUTH PLAIN nor AUTH LOGIN' };
}

async function authPlain(dialogue: SmtpDialogue, response: string): Promise<DialogueResult> {
  const command = `AUTH PLAIN ${response}\r\n`;
  if (command.length <= MAX_COMMAND_LINE) return dialogue.ask(command);
  // A response that does not fit into the command line is sent after the reply 334 (RFC 4954, section 4).
  return goOn(await dialogue.ask('AUTH PLAIN\r\n'), () => dialogue.ask(`${response}\r\n`));
}

async function authLogin(
  dialogue: SmtpDialogue,
  username: string,
  password: string,
): Promise<DialogueResult> {
  const name = await goOn(await dialogue.ask('AUTH LOGIN\r\n'), () =>
    dialogue.ask(`${base64(username)}\r\n`),
  );
  return goOn(name, () => dialogue.ask(`${base64(password)}\r\n`));
}

function goOn(
  answer: DialogueResult,
  next: () => Promise<DialogueResult>,
): DialogueResult | Promise<DialogueResult> {
  return 'reply' in answer && answer.reply.code === 334 ? next() : answer;
}

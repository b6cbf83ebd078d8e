import { type Command, Option } from 'commander';
import { readProjectSettings } from '../../accounts/projects/project-settings.ts';
import { SendEmail } from '../../contract/emails.ts';
import { wakeQueue } from '../../db/notify.ts';
import { runsAnywhere } from '../../db/presence.ts';
import { compileCheck } from '../http/validation.ts';
import { validationError } from '../../model/app-error.ts';
import { encodeId, timeOf } from '../../model/ids.ts';
import { type Stream, STREAMS } from '../../model/streams.ts';
import { type BodyOptions, readBodies } from './bodies.ts';
import { example, json, print, type ProjectOptions, projectOption, withProject } from './command.ts';

export function defineSend(send: Command): void {
  send
    .addOption(projectOption('the project that sends the email'))
    .option('--from <address>', 'the sender; default: hello at the hosted domain')
    .requiredOption('--to <address...>', 'recipients')
    .option('--cc <address...>', 'recipients of a copy')
    .option('--bcc <address...>', 'recipients of a copy, hidden from the others')
    .option('--reply-to <address>', 'the addresses that replies are sent to')
    .option('--subject <subject>', 'the subject')
    .option('--text <body>', 'the plain text body')
    .option('--text-file <path>', 'read the plain text body from a file; - is standard input')
    .option('--html <body>', 'the HTML body')
    .option('--html-file <path>', 'read the HTML body from a file; - is standard input')
    .option('--template <id>', 'use this template instead of subject, text and html: tpl_...')
    .option('--variables <json>', 'values for the variables of the template, as a JSON object')
    .option('--header <field...>', "an extra header field: 'X-Order: 4711'")
    .option('--tag <tag...>', 'a tag of your choice; find it with "email list --tag"')
    .option('--at <time>', 'schedule the email, up to 30 days ahead: 2027-01-31T08:00:00Z')
    .addOption(
      new Option(
        '--stream <stream>',
        'the stream that the email belongs to; streams share the capacity of the project fairly',
      ).choices(STREAMS),
    )
    .addOption(json)
    .addHelpText(
      'after',
      example("send --project default --to you@example.com --subject Hello --text 'It works.'"),
    )
    .action(sendEmail);
}

interface SendOptions extends ProjectOptions, BodyOptions {
  from?: string;
  to: string[];
  cc?: string[];
  bcc?: string[];
  replyTo?: string;
  subject?: string;
  template?: string;
  variables?: string;
  header?: string[];
  tag?: string[];
  stream?: Stream;
  at?: string;
}

/** Accepts an email and prints the same response as POST /v1/emails. */
async function sendEmail({ project, json, ...options }: SendOptions): Promise<void> {
  await withProject(project, async ({ acceptor, database, config }, projectId) => {
    const email = emailOf(options, `hello@${config.hostedDomain}`);
    const sender = { projectId, ...(await readProjectSettings(database, projectId)), restrictions: null };
    const { emailId } = await acceptor.accept(sender, email, null, null);
    await wakeQueue(database);
    const queued = {
      id: encodeId('em', emailId),
      status: 'queued',
      created_at: timeOf(emailId).toISOString(),
    };
    print(json, queued);
    if (!(await runsAnywhere(database, 'worker')))
      process.stderr.write(
        'No worker is running. The email stays in the queue until one starts (npm start).\n',
      );
    else if (json !== true)
      process.stderr.write(`To follow it, run: email show --project ${project} --id ${queued.id}\n`);
  });
}

/** @throws AppError validation-failed, with every field that the API would reject */
function emailOf(options: Omit<SendOptions, 'project' | 'json'>, defaultFrom: string): SendEmail {
  const {
    from = defaultFrom,
    to,
    cc,
    bcc,
    replyTo,
    subject,
    template,
    variables,
    header,
    tag,
    stream,
  } = options;
  const email: SendEmail = {
    from,
    to,
    ...(cc !== undefined && { cc }),
    ...(bcc !== undefined && { bcc }),
    ...(replyTo !== undefined && { reply_to: replyTo }),
    ...(subject !== undefined && { subject }),
    ...readBodies(options),
    ...(template !== undefined && { template_id: template }),
    ...(variables !== undefined && { variables: variablesOf(variables) }),
    ...(header !== undefined && { headers: headersOf(header) }),
    ...(tag !== undefined && { tags: tag }),
    ...(stream !== undefined && { stream }),
    ...(options.at !== undefined && { scheduled_at: options.at }),
  };
  const errors = compileCheck(SendEmail)(email);
  if (errors !== null) throw validationError(errors);
  return email;
}

function variablesOf(json: string): Record<string, unknown> {
  try {
    // The schema rejects any value that is not an object.
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    throw validationError({ variables: `must be JSON, such as '{"name":"Ada"}'` });
  }
}

function headersOf(fields: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    fields.map((field) => {
      const [, name = '', value = ''] =
        /^([^:]+):\s*(.*)$/su.exec(field) ??
        invalidHeaders(`${JSON.stringify(field)} is not in the form Name: value`);
      return [name, value];
    }),
  );
}

function invalidHeaders(headers: string): never {
  throw validationError({ headers });
}

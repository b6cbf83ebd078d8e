/** Reads one email for its page in the dashboard (docs/emails.md). All projects share a few database connections. */
import type { EmailContent, InspectedEmail } from '../contract/dashboard/email.ts';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { FairReads } from '../db/fair-reads.ts';
import { AppError, unavailable } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { AnsweringThread } from '../concurrency/answering-thread.ts';
import { Semaphore } from '../concurrency/semaphore.ts';
import { FairSlots } from '../concurrency/fair-slots.ts';
import { USUAL_JUNK_SCORE } from '../receiving/spam/verdict.ts';
import type { Composing } from '../sending/deliver/compose-email.ts';
import { type RawMessage, rawMessage } from '../sending/deliver/raw-message.ts';
import type { ContentCheckResult, ContentCheckTask } from './content/question.ts';
import type { PreviewOptions } from './preview/preview-document.ts';
import { readContent } from './read-content.ts';
import { readEmail } from './read-email.ts';
import { type EmailFile, readFile } from './read-file.ts';
import { type LastOfTemplate, readLastOfTemplate } from './read-last-of-template.ts';
import { TIMINGS } from './timings.ts';

interface Clicks {
  clicks: number;
  machine_clicks: number;
}

const CLICKED = columnsOf({ url: 'text', people: 'int4', machines: 'int4' });

const MAX_WAITING = 50;
const TOO_MANY = 'Too many emails of this project are being opened. Try again in a few seconds.';
/**
 * How many emails may be in memory at once, waiting for the worker thread. The content of each may be several MB. One project gets at most
 * half of these slots.
 */
const CONTENT_SLOTS = 4;
/** The number of octets of a message shown on its page. The download contains the whole message. */
const MAX_SOURCE = 262_144;
/** The number of octets of a message that are checked. */
const MAX_CHECKED = 16 * 1024 * 1024;

interface Shown {
  html: string | null;
  text: string | null;
}

export interface EmailInspectorOptions {
  reads: FairReads;
  composing: Composing;
  hostname: string;
  /** Default: `TIMINGS`. */
  timings?: typeof TIMINGS | undefined;
}

export class EmailInspector implements AsyncDisposable {
  readonly #options: EmailInspectorOptions;
  readonly #slots = new FairSlots({
    slots: CONTENT_SLOTS,
    slotsPerOwner: CONTENT_SLOTS / 2,
    maxWaitingPerOwner: MAX_WAITING,
    makeError: tooMany,
  });
  readonly #threadLock = new Semaphore(1);
  readonly #timings: typeof TIMINGS;
  readonly #thread: AnsweringThread<ContentCheckResult>;

  constructor(options: EmailInspectorOptions) {
    const { timings = TIMINGS } = options;
    this.#options = options;
    this.#timings = timings;
    this.#thread = new AnsweringThread({
      name: 'checking emails',
      code: new URL('./content/thread.ts', import.meta.url),
      timings,
    });
  }

  /**
   * @returns null if the project has no such email
   * @throws AppError unavailable
   */
  describe(projectId: string, emailId: string, seesBodies: boolean): Promise<InspectedEmail | null> {
    return this.#read(projectId, (database) => readEmail(database, projectId, emailId, seesBodies));
  }

  /**
   * The last email that was sent with a template, with its values.
   * @returns null if the project has no such template
   * @throws AppError unavailable
   */
  lastOfTemplate(projectId: string, templateId: string): Promise<{ email: LastOfTemplate | null } | null> {
    return this.#read(projectId, (database) => readLastOfTemplate(database, projectId, templateId));
  }

  /**
   * The content of the email, with the results of its checks.
   * @returns null if the project has no such email
   * @throws AppError bad-request if the bodies were deleted; unavailable
   */
  content(projectId: string, emailId: string): Promise<EmailContent | null> {
    return this.#inSlot(projectId, () => this.#content(projectId, emailId));
  }

  async #content(projectId: string, emailId: string): Promise<EmailContent | null> {
    const found = await this.#read(projectId, async (database) => {
      const content = await readContent(database, projectId, emailId);
      if (content === null) return null;
      const message = await rawMessage(database, this.#options.composing, projectId, emailId);
      const clicks = await readClicks(database, projectId, emailId);
      return { content, message: message === 'unsigned' ? null : message, clicks };
    });
    if (found === null) return null;
    const { content, message, clicks } = found;
    const { subject, html, text, isBulk, headers } = content;
    const answer = await this.#ask({
      kind: 'report',
      content: { raw: message === null ? null : begin(message.data), subject, html, text, isBulk },
      hostname: this.#options.hostname,
      nowMs: clock.nowMs(),
    });
    if (answer.kind !== 'report') throw tooComplicated();
    const { report } = answer;
    return {
      html,
      text: report.text,
      text_is_made: report.isTextMade,
      headers,
      source: message === null ? null : sourceOf(message),
      header_fields: report.fields,
      signatures: report.signatures.map(({ isAligned, ...signature }) => ({
        ...signature,
        is_aligned: isAligned,
      })),
      links: report.links.map(({ isUnsubscribe, ...link }) => ({
        ...link,
        is_unsubscribe: isUnsubscribe,
        ...clicks(link.url),
      })),
      checks: report.checks,
      spam: report.spam === null ? null : { ...report.spam, junk_from: USUAL_JUNK_SCORE },
    };
  }

  /**
   * The message of an email.
   * @returns null if the project has no such email
   * @throws AppError bad-request if the bodies were deleted; domain-not-verified if no copy is stored and the message cannot be composed;
   * unavailable
   */
  async source(projectId: string, emailId: string): Promise<RawMessage | null> {
    const { composing } = this.#options;
    const message = await this.#inSlot(projectId, () =>
      this.#read(projectId, (database) => rawMessage(database, composing, projectId, emailId)),
    );
    if (message !== 'unsigned') return message;
    throw new AppError(
      'domain-not-verified',
      'No copy of this message is stored, and the message cannot be composed again because the project can no longer send from its domain. Verify the domain, then try again.',
    );
  }

  /**
   * A file of the email.
   * @param at the index of the file
   * @returns null if the project has no such email, or the email no such file
   * @throws AppError unavailable
   */
  file(projectId: string, emailId: string, at: number): Promise<EmailFile | null> {
    const { blobs } = this.#options.composing;
    return this.#read(projectId, (database) => readFile(database, blobs, { projectId, emailId, at }));
  }

  /**
   * The email as the recipient sees it, as a separate document: the HTML, or the text if the email has no HTML.
   * @returns null if the project has no such email
   * @throws AppError bad-request if the bodies were deleted; unavailable
   */
  preview(projectId: string, emailId: string, options: PreviewOptions): Promise<string | null> {
    return this.#inSlot(projectId, async () => {
      const content = await this.#read(projectId, (database) => readContent(database, projectId, emailId));
      return content === null ? null : this.#show(content, options);
    });
  }

  /** A preview of content that has not been sent yet. @throws AppError unavailable */
  previewOf(projectId: string, content: Shown, options: PreviewOptions): Promise<string> {
    return this.#inSlot(projectId, () => this.#show(content, options));
  }

  async #show({ html, text }: Shown, options: PreviewOptions): Promise<string> {
    const answer = await this.#ask({ kind: 'preview', html: html || htmlOfText(text ?? ''), options });
    if (answer.kind !== 'preview') throw tooComplicated();
    return answer.html;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  #read<T>(projectId: string, work: (database: Database) => Promise<T>): Promise<T> {
    return this.#options.reads.run(projectId, work, {
      timeoutMs: this.#timings.readTimeoutMs,
      tooLong: TOO_MANY,
    });
  }

  /**
   * Runs work in a slot, because only emails with a slot may be in memory. Attack: a client requests emails faster than the worker thread
   * checks them, until memory runs out.
   */
  async #inSlot<T>(projectId: string, work: () => Promise<T>): Promise<T> {
    const late = new AbortController();
    const { readTimeoutMs, threadAnswerMs } = this.#timings;
    const timer = setTimeout(() => late.abort(tooMany()), readTimeoutMs + threadAnswerMs);
    try {
      return await this.#slots.run(projectId, late.signal, work);
    } finally {
      clearTimeout(timer);
    }
  }

  async #ask(task: ContentCheckTask): Promise<ContentCheckResult> {
    const answer = await this.#threadLock.run(() => this.#thread.ask(async () => [task, []]));
    if (answer === null) throw tooComplicated();
    return answer;
  }
}

/** Converts text to HTML that looks like plain text does in mail apps. */
function htmlOfText(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<div style="white-space:pre-wrap;font:14px/1.5 system-ui,sans-serif">${escaped}</div>`;
}

/** The octets that the checks read. A file at the end of a large message is not checked. */
function begin(data: Buffer): Buffer {
  return data.length <= MAX_CHECKED ? data : Buffer.from(data.subarray(0, MAX_CHECKED));
}

function sourceOf({ data, isRebuilt }: RawMessage): NonNullable<EmailContent['source']> {
  return {
    text: data.toString('utf8', 0, MAX_SOURCE),
    octets: data.length,
    is_cut: data.length > MAX_SOURCE,
    is_rebuilt: isRebuilt,
  };
}

function tooMany(): AppError {
  return unavailable(TOO_MANY);
}

function tooComplicated(): AppError {
  return unavailable('Checking this email took too long. Try again in a few seconds.');
}

/** Counts the clicks on the links of an email. @returns a function that returns the clicks on a URL as written in the HTML */
async function readClicks(
  database: Database,
  projectId: string,
  emailId: string,
): Promise<(href: string) => Clicks> {
  const { rows } = await CLICKED.sql`
    select detail ->> 'url' as url, count(*) filter (where detail ->> 'is_machine' is distinct from 'true')::int as people,
      count(*) filter (where detail ->> 'is_machine' = 'true')::int as machines
    from events
    where project_id = ${projectId} and email_id = ${emailId} and type = 'clicked' and detail ->> 'url' is not null
    group by 1`.execute(database);
  const byUrl = new Map(rows.map((row) => [row.url, row]));
  return (href) => {
    // Clicks are stored with the URL in this form (`tracking-links.ts`).
    const found = byUrl.get(URL.parse(href)?.href ?? href);
    return { clicks: found?.people ?? 0, machine_clicks: found?.machines ?? 0 };
  };
}

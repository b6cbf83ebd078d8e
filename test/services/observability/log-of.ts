import type { Service } from '../../support/service.ts';

export interface LogLine {
  level: string;
  time: string;
  pid: number;
  roles: string[];
  msg: string;
  emailId?: string;
  [field: string]: unknown;
}

/** Collects the text that a service writes to stderr after this call. */
export function logOf({ supervisor }: Service) {
  let text = '';
  supervisor.stderr?.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  return {
    get text() {
      return text;
    },
    /** The complete lines of the log. @throws SyntaxError if a line is not JSON */
    lines(): LogLine[] {
      const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
      return whole.filter((line) => line !== '').map((line) => JSON.parse(line) as LogLine);
    },
    /** The lines about one email, in order of time. */
    storyOf(emailId: string): LogLine[] {
      return this.lines()
        .filter((line) => line.emailId === emailId)
        .toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
    },
  };
}

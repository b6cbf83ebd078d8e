import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { takeLogin } from './smtp-server-auth.ts';
import { type Fault, isFault, playFault } from './smtp-server-faults.ts';
import { ehloReply, faultsOf, groupFault, readPath, unstuff } from './smtp-server-text.ts';
import type { ReceivedMessage, SmtpServerOptions, Stage, StageReply } from './smtp-server-options.ts';

export interface SessionEvents {
  received(message: ReceivedMessage): void;
  violation(text: string): void;
  /** Called after the reply to QUIT is sent. */
  quit(): void;
}

const CR = 0x0d;
const LF = 0x0a;
/** The maximum length of a command in octets, including CRLF (RFC 5321, section 4.5.3.1.4; RFC 4954, section 4). */
const MAX_COMMAND = 512;
const MAX_AUTH_LINE = 12_288;

/** One connection of the test server. Handles one command at a time, even if the client sends further commands early. */
export class SmtpServerSession {
  readonly #number: number;
  readonly #options: SmtpServerOptions;
  readonly #events: SessionEvents;
  /** The TCP connection, below TLS. */
  readonly #connection: Socket;
  #socket: Socket;
  #input: Buffer = Buffer.alloc(0);
  #at = 0;
  #output = '';
  /** Whether input must wait because a hook has not replied yet, or never replies. */
  #busy = false;
  #closed = false;
  #greeted = false;
  #mode: 'command' | 'data' | ((line: string) => void) = 'command';
  #helo = '';
  #offers = new Set<string>();
  #tls = false;
  #authenticated: string | null = null;
  #transaction: Pick<ReceivedMessage, 'mailFrom' | 'mailParameters' | 'rcptTo' | 'rcptParameters'> | null =
    null;
  #messages = 0;

  constructor(socket: Socket, number: number, options: SmtpServerOptions, events: SessionEvents) {
    this.#connection = socket;
    this.#socket = socket;
    this.#number = number;
    this.#options = options;
    this.#events = events;
    socket.on('error', () => socket.destroy());
    if (options.implicitTls) {
      this.#handshake(() => this.#greet());
    } else {
      socket.on('data', this.#onData);
      this.#greet();
    }
  }

  #greet(): void {
    this.#answer('connect', '', '220 test.example ESMTP', () => {
      this.#greeted = true;
    });
    this.#flush();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (!this.#greeted) this.#events.violation('spoke before the greeting');
    else if (this.#busy && !this.#offers.has('PIPELINING'))
      this.#events.violation('did not wait for a reply');
    const rest = this.#input.subarray(this.#at);
    this.#input = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    this.#at = 0;
    this.#work();
  };

  #work(): void {
    let isMore = true;
    while (isMore && !this.#busy) isMore = this.#mode === 'data' ? this.#takeData() : this.#takeCommand();
    this.#flush();
  }

  get #buffered(): number {
    return this.#input.length - this.#at;
  }

  /** @returns false if the line is incomplete */
  #takeCommand(): boolean {
    const end = this.#input.indexOf(LF, this.#at);
    if (end === -1) return false;
    const hasCr = this.#input[end - 1] === CR;
    if (!hasCr) this.#events.violation('a command ends with a bare LF');
    const line = this.#input.toString('utf8', this.#at, hasCr ? end - 1 : end);
    const limit = typeof this.#mode === 'function' ? MAX_AUTH_LINE : MAX_COMMAND;
    if (end + 1 - this.#at > limit) this.#events.violation(`a command is longer than ${limit}`);
    this.#at = end + 1;
    if (typeof this.#mode === 'function') {
      const take = this.#mode;
      this.#mode = 'command';
      take(line);
    } else {
      this.#handle(line);
    }
    return true;
  }

  #handle(line: string): void {
    const space = line.indexOf(' ');
    const verb = (space === -1 ? line : line.slice(0, space)).toUpperCase();
    const rest = space === -1 ? '' : line.slice(space + 1);
    const fault = this.#buffered > 0 && groupFault(verb, this.#offers);
    if (fault) this.#events.violation(fault);
    if (verb === 'EHLO' || verb === 'HELO') this.#onHello(verb, rest);
    else if (verb === 'MAIL') this.#onMail(rest);
    else if (verb === 'RCPT') this.#onRcpt(rest);
    else if (verb === 'DATA') this.#onDataCommand();
    else if (verb === 'STARTTLS') this.#onStartTls();
    else if (verb === 'AUTH') this.#onAuth(rest);
    else if (verb === 'RSET') {
      this.#transaction = null;
      this.#answer('rset', '', '250 2.0.0 as new');
    } else if (verb === 'QUIT') this.#answer('quit', '', '221 2.0.0 bye', () => this.#quit());
    else this.#refuse(`500 5.5.1 what is ${verb.slice(0, 20)}?`);
  }

  #onHello(verb: 'EHLO' | 'HELO', name: string): void {
    const isEhlo = verb === 'EHLO';
    const fallback = isEhlo ? ehloReply(this.#options, this.#tls) : '250 test.example';
    this.#answer(isEhlo ? 'ehlo' : 'helo', name, fallback, (reply) => {
      if (!reply.startsWith('250')) return;
      this.#helo = name;
      this.#transaction = null;
      const keywords = isEhlo ? reply.split('\r\n').map((line) => line.slice(4).split(' ')[0] ?? '') : [];
      this.#offers = new Set(keywords);
    });
  }

  #onMail(rest: string): void {
    if (this.#helo === '' || this.#transaction !== null) return this.#refuse('503 5.5.1 out of order');
    const { path, parameters: mailParameters } = readPath(rest);
    if (path === null) return this.#refuse('501 5.5.4 MAIL cannot be read');
    const extensions = { BODY: '8BITMIME', SIZE: 'SIZE', SMTPUTF8: 'SMTPUTF8', RET: 'DSN', ENVID: 'DSN' };
    for (const [keyword, extension] of Object.entries(extensions)) {
      const isUsed = mailParameters.some((parameter) => parameter.split('=')[0] === keyword);
      if (isUsed && !this.#offers.has(extension)) return this.#refuse(`555 5.5.4 ${keyword} is not offered`);
    }
    const size = Number(mailParameters.find((parameter) => parameter.startsWith('SIZE='))?.slice(5) ?? 0);
    const limit = this.#options.size ?? 0;
    const fits = limit === 0 || size <= limit;
    this.#answer('mail', path, fits ? '250 2.1.0 sender' : '552 5.3.4 too large', (reply) => {
      if (reply.startsWith('2'))
        this.#transaction = { mailFrom: path, mailParameters, rcptTo: [], rcptParameters: [] };
    });
  }

  #onRcpt(rest: string): void {
    const { path: rcptTo, parameters } = readPath(rest);
    if (rcptTo === null || rcptTo === '') return this.#refuse('501 5.5.4 RCPT cannot be read');
    if (parameters.length > 0 && !this.#offers.has('DSN'))
      return this.#refuse(`555 5.5.4 ${parameters[0]} is not offered`);
    const transaction = this.#transaction;
    if (!/^[\x20-\x7e]*$/.test(rcptTo) && !transaction?.mailParameters.includes('SMTPUTF8')) {
      return this.#refuse('553 5.6.7 SMTPUTF8 was not asked for');
    }
    this.#answer(
      'rcpt',
      rcptTo,
      transaction === null ? '503 5.5.1 no MAIL' : '250 2.1.5 recipient',
      (reply) => {
        if (!reply.startsWith('2')) return;
        transaction?.rcptTo.push(rcptTo);
        transaction?.rcptParameters.push(parameters);
      },
    );
  }

  #onDataCommand(): void {
    const hasRecipients = (this.#transaction?.rcptTo.length ?? 0) > 0;
    this.#answer('data', '', hasRecipients ? '354 go' : '554 5.5.1 no recipients', (reply) => {
      if (reply.startsWith('354')) this.#mode = 'data';
    });
  }

  /** @returns false if the end of the data has not arrived yet */
  #takeData(): boolean {
    if (this.#buffered < 3) return false;
    const isEmpty = this.#input.toString('latin1', this.#at, this.#at + 3) === '.\r\n';
    const end = isEmpty ? this.#at - 2 : this.#input.indexOf('\r\n.\r\n', this.#at);
    if (!isEmpty && end === -1) return false;
    const saturated = this.#input.subarray(this.#at, end + 2);
    this.#at = end + 5;
    this.#mode = 'command';
    if (this.#buffered > 0 && !this.#offers.has('PIPELINING'))
      this.#events.violation('did not wait after the dot');

    const transaction = this.#transaction;
    this.#transaction = null;
    if (transaction !== null && transaction.rcptTo.length > 0) {
      const is8Bit = transaction.mailParameters.includes('BODY=8BITMIME');
      for (const text of faultsOf(saturated, is8Bit)) this.#events.violation(text);
    }
    const data = unstuff(saturated);
    const fallback = transaction?.rcptTo.length
      ? `250 2.0.0 taken as ${this.#number}.${this.#messages + 1}`
      : '554 5.5.1 no recipients';
    this.#answer('dot', '', fallback, (reply) => {
      if (!reply.startsWith('2') || transaction === null || transaction.rcptTo.length === 0) return;
      this.#messages += 1;
      this.#events.received({
        ...transaction,
        data,
        tls: this.#tls,
        helo: this.#helo,
        authenticated: this.#authenticated,
        connection: this.#number,
      });
    });
    return true;
  }

  #onStartTls(): void {
    if (!this.#offers.has('STARTTLS')) return this.#refuse('502 5.5.1 STARTTLS is not offered');
    this.#answer('starttls', '', '220 2.0.0 go', (reply) => {
      if (!reply.startsWith('220')) return;
      this.#flush();
      this.#handshake(() => {});
    });
  }

  #handshake(then: () => void): void {
    // The next octets belong to TLS and are not a command.
    this.#socket.off('data', this.#onData);
    this.#answer('handshake', '', null, () => {
      const socket = new TLSSocket(this.#socket, { isServer: true, ...this.#options.tls });
      socket.on('error', () => socket.destroy());
      socket.on('data', this.#onData);
      this.#socket = socket;
      this.#tls = true;
      this.#helo = '';
      this.#offers.clear();
      then();
    });
  }

  #onAuth(rest: string): void {
    takeLogin(rest, this.#options.auth, {
      challenge: (text, next) => {
        this.#output += `334 ${text}\r\n`;
        this.#mode = next;
      },
      judged: (user, isRight) => {
        const fallback = isRight ? '235 2.7.0 welcome' : '535 5.7.8 wrong name or password';
        this.#answer('auth', user, fallback, (reply) => {
          if (reply.startsWith('235')) this.#authenticated = user;
        });
      },
      refuse: (reply) => this.#refuse(reply),
    });
  }

  /** Replies to a protocol violation. */
  #refuse(reply: string): void {
    this.#events.violation(reply);
    this.#output += `${reply}\r\n`;
  }

  #answer(
    stage: Stage,
    argument: string,
    fallback: string | null,
    then: (reply: string) => void = () => {},
  ): void {
    const apply = (chosen: StageReply): void => {
      if (isFault(chosen)) return this.#play(chosen, fallback ?? '', then);
      const reply = chosen ?? fallback;
      if (reply !== null) this.#output += `${reply}\r\n`;
      then(reply ?? '');
    };
    const chosen = this.#options.reply?.(stage, argument, {
      connection: this.#number,
      messages: this.#messages,
      tls: this.#tls,
      buffered: this.#buffered,
      pause: () => this.#socket.pause(),
      close: () => this.#close(),
    });
    if (!(chosen instanceof Promise)) return apply(chosen);
    this.#busy = true;
    this.#flush();
    void chosen.then((later) => {
      this.#busy = this.#closed;
      apply(later);
      this.#work();
    });
  }

  #play(fault: Fault, reply: string, then: (reply: string) => void): void {
    if (fault === 'close') return this.#close();
    this.#flush();
    this.#busy = true;
    playFault(fault, { socket: this.#socket, connection: this.#connection }, reply, () => {
      this.#busy = this.#closed;
      then(reply);
      this.#work();
    });
  }

  #flush(): void {
    if (this.#output !== '' && !this.#closed) this.#socket.write(this.#output);
    this.#output = '';
  }

  #quit(): void {
    this.#events.quit();
    this.#close();
  }

  #close(): void {
    this.#flush();
    this.#closed = true;
    this.#busy = true;
    this.#socket.destroySoon();
  }
}

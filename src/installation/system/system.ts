/**
 * The operations with which operators view and control the installation (docs/operate/system.md). Reads share slots fairly and have a
 * timeout.
 */
import type {
  LogLevel,
  QueueQuery,
  SystemCertificates,
  SystemChangeList,
  SystemProcesses,
  SystemQueue,
  SystemStatements,
  SystemStorage,
  SystemVersions,
} from '../../contract/dashboard/system.ts';
import type { HealthCause } from '../../contract/dashboard/health.ts';
import type { OperatorMail, OperatorMessage } from '../../contract/dashboard/operator-mail.ts';
import type {
  QueuedRecipientPage,
  QueuedRecipientsQuery,
} from '../../contract/dashboard/queued-recipients.ts';
import type { TlsResultPage, TlsResultsQuery } from '../../contract/dashboard/tls-results.ts';
import type { Database } from '../../db/database.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import type { MessageTextReader } from '../../store/facts/message-text-reader.ts';
import { readCertificateFile, readObtainedCertificates } from './certificates.ts';
import { listSystemChanges } from './changes.ts';
import { type ConcernOptions, readConcerns } from './concerns.ts';
import type { DoctorRuns } from './doctor-runs.ts';
import { raiseLogLevel, readRaisedUntil, resetLogLevel } from './log-level.ts';
import * as mail from './operator-mail.ts';
import { readProcesses } from './processes.ts';
import { readQueue } from './queue-list.ts';
import { listQueuedRecipients } from './queued-recipients.ts';
import * as commands from './queue-commands.ts';
import { readStatements } from './statements.ts';
import { readStorage, type StorageOptions } from './storage.ts';
import { TIMINGS } from './timings.ts';
import { listTlsResults } from './tls-results.ts';
import { readVersions } from './versions.ts';

export interface SystemOptions {
  database: Database;
  reads: FairReads;
  doctor: Pick<DoctorRuns, 'read' | 'runAgain'>;
  storage: StorageOptions;
  /** The path of the certificate file; null if there is no file. */
  certPath: string | null;
  /** The name of the setting with the time of the last backup. */
  lastBackup: ConcernOptions['lastBackup'];
  logLevel: LogLevel['level'];
  messageTexts: Pick<MessageTextReader, 'read'>;
}

export class System {
  readonly #options: SystemOptions;

  constructor(options: SystemOptions) {
    this.#options = options;
  }

  get doctor(): SystemOptions['doctor'] {
    return this.#options.doctor;
  }

  queue(query: QueueQuery): Promise<SystemQueue> {
    return this.#read((reads) => readQueue(reads, query));
  }

  /** @throws AppError validation-failed */
  queuedRecipients(query: QueuedRecipientsQuery): Promise<QueuedRecipientPage> {
    return this.#read((reads) => listQueuedRecipients(reads, query));
  }

  processes(): Promise<SystemProcesses> {
    return this.#read(readProcesses);
  }

  storage(): Promise<SystemStorage> {
    return this.#read((reads) => readStorage(reads, this.#options.storage));
  }

  statements(): Promise<SystemStatements> {
    return this.#read(readStatements);
  }

  async certificates(): Promise<SystemCertificates> {
    const ofFile = await readCertificateFile(this.#options.certPath);
    return { data: [...ofFile, ...(await this.#read(readObtainedCertificates))] };
  }

  /** What will stop mail or lose data soon. */
  concerns(): Promise<HealthCause[]> {
    const { storage, certPath, lastBackup } = this.#options;
    return readConcerns((work) => this.#read(work), { ...storage, certPath, lastBackup });
  }

  /** @throws AppError validation-failed */
  tlsResults(query: TlsResultsQuery): Promise<TlsResultPage> {
    return this.#read((reads) => listTlsResults(reads, query));
  }

  versions(): Promise<SystemVersions> {
    return this.#read(readVersions);
  }

  /** @throws AppError validation-failed */
  changes(page: { cursor?: string; limit?: number }): Promise<SystemChangeList> {
    return this.#read((reads) => listSystemChanges(reads, page));
  }

  operatorMail(): Promise<OperatorMail> {
    return this.#read(mail.listOperatorMail);
  }

  /** Null if there is no such message. */
  operatorMessage(id: string): Promise<OperatorMessage | null> {
    return this.#read((reads) => mail.getOperatorMessage(reads, this.#options.messageTexts, id));
  }

  /** Null if there is no such message. */
  rawOperatorMail(id: string): Promise<Buffer | null> {
    return this.#read((reads) => mail.readRawOperatorMail(reads, id));
  }

  /** @returns whether the message existed */
  deleteOperatorMail(id: string): Promise<boolean> {
    return mail.deleteOperatorMail(this.#options.database, id);
  }

  async logLevel(): Promise<LogLevel> {
    const until = await this.#read(readRaisedUntil);
    return { level: this.#options.logLevel, raised_until: until?.toISOString() ?? null };
  }

  async raiseLogLevel(minutes: number): Promise<LogLevel> {
    const until = await raiseLogLevel(this.#options.database, minutes);
    return { level: this.#options.logLevel, raised_until: until.toISOString() };
  }

  resetLogLevel(): Promise<void> {
    return resetLogLevel(this.#options.database);
  }

  pause(): Promise<boolean> {
    return commands.pause(this.#options.database);
  }

  resume(): Promise<boolean> {
    return commands.resume(this.#options.database);
  }

  /** @throws AppError bad-request */
  withdraw(): Promise<{ withdrawn: number; isDone: boolean }> {
    return commands.withdraw(this.#options.database);
  }

  /** @throws AppError validation-failed */
  hold(domain: string): Promise<boolean> {
    return commands.pauseDomain(this.#options.database, domain);
  }

  /** @throws AppError validation-failed */
  resumeDestination(domain: string): Promise<boolean> {
    return commands.resumeDomain(this.#options.database, domain);
  }

  /** @throws AppError validation-failed, bad-request */
  tryNow(domain: string): Promise<boolean> {
    return commands.tryNow(this.#options.database, domain);
  }

  #read<T>(work: (reads: Database) => Promise<T>): Promise<T> {
    return this.#options.reads.run('operators', work, {
      timeoutMs: TIMINGS.readTimeoutMs,
      tooLong: 'Reading the state of the installation took too long. Try again.',
    });
  }
}

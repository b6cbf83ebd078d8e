/** The content of `/metrics`: the metrics of every process of this instance, and those that are read from the database. */
import type { Database } from '../db/database.ts';
import { instanceGauge } from '../observe/define.ts';
import { instanceRegistry, registry } from '../observe/registry.ts';
import { backupSource } from './backup-source.ts';
import { diskSource, type Folders } from './disk-source.ts';
import { Figures } from './figures.ts';
import { queueSource } from './queue-source.ts';
import { type ReadServiceMail, serviceMailSource } from './service-mail-source.ts';
import { serverSource } from './server-source.ts';
import { mailboxSource } from './mailbox-source.ts';
import { webhookSource } from './webhook-source.ts';

export { STATEMENT_TIMEOUT_MS } from './figures.ts';

/** The metrics of the other processes, in the text format of Prometheus. */
export interface OtherFigures {
  figures: readonly string[];
  /** The number of processes that did not respond. */
  missing: number;
}

const missingProcesses = instanceGauge(
  'posthorn_scrape_missing_processes',
  'Processes of this instance whose figures are missing because they did not respond in time.',
);

const environmentInfo = instanceGauge(
  'posthorn_environment_info',
  'The POSTHORN_ENV of this instance; always 1.',
  { environment: ['development', 'production'] },
);

const providers = instanceGauge(
  'posthorn_provider',
  'The POSTHORN_PROVIDER of this instance, or none; always 1. Only for instances with a worker.',
  { kind: ['sandbox', 'smtp', 'direct', 'ses', 'none'] },
);

/** What the metrics of the instance are computed from. */
export interface InstanceFacts extends Folders {
  environment: 'development' | 'production';
  /** The configured provider. Null if there is none. */
  provider: 'sandbox' | 'smtp' | 'direct' | 'ses' | null;
  roles: readonly string[];
  readServiceMail: ReadServiceMail;
}

export class Exposition {
  readonly #others: () => Promise<OtherFigures>;
  readonly #figures: readonly Figures[];
  #making: Promise<string> | null = null;

  /**
   * @param database the lane `metrics`, so that slow queries delay no other part of the service
   * @param instance facts from the configuration
   * @param others fetches the metrics of the other processes. It is not called again before the previous call has ended
   */
  constructor(database: Database, instance: InstanceFacts, others: () => Promise<OtherFigures>) {
    this.#others = others;
    // Only workers use the provider, so instances without a worker do not report one.
    if (instance.roles.includes('worker')) providers.set({ kind: instance.provider ?? 'none' }, 1);
    environmentInfo.set({ environment: instance.environment }, 1);
    this.#figures = [
      serverSource,
      queueSource,
      webhookSource,
      mailboxSource,
      backupSource,
      serviceMailSource(instance.readServiceMail),
      diskSource(instance),
    ].map((source) => new Figures(database, source));
  }

  /** Resolves to the text format of Prometheus within a few seconds. Concurrent requests share one result. */
  readonly read = (): Promise<string> => {
    this.#making ??= this.#make().finally(() => {
      this.#making = null;
    });
    return this.#making;
  };

  async #make(): Promise<string> {
    const [{ figures, missing }] = await Promise.all([
      this.#others(),
      ...this.#figures.map((figures) => figures.refresh()),
    ]);
    missingProcesses.set({}, missing);
    return mergeFamilies([await registry.metrics(), ...figures, await instanceRegistry.metrics()]);
  }
}

/**
 * Merges texts in the format of Prometheus, as prom-client writes them: families separated by empty lines, each family beginning with HELP
 * and TYPE lines. The result has each family only once, with the series from all texts. Series of different texts differ in their labels.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
function mergeFamilies(texts: readonly string[]): string {
  const families = new Map<string, string[]>();
  for (const text of texts) {
    for (const family of text.trimEnd().split('\n\n')) {
      const [help = '', type = '', ...series] = family.split('\n');
      if (series.length === 0) continue;
      const header = `${help}\n${type}`;
      const known = families.get(header);
      if (known === undefined) families.set(header, series);
      else known.push(...series);
    }
  }
  return [...families].map(([header, series]) => `${header}\n${series.join('\n')}\n`).join('\n');
}

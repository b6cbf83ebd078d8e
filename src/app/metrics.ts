import type { Database } from '../db/database.ts';
import { readStateOfSender } from '../domains/service-mail-state.ts';
import { servesLocalRequests, type MetricsOptions } from '../doors/http/metrics.ts';
import { Exposition, type OtherFigures } from '../metrics/exposition.ts';
import type { BaseCore } from './base-core.ts';

/** @param otherFigures collects the metrics of the other processes of this instance */
export function openMetrics(core: BaseCore, otherFigures: () => Promise<OtherFigures>): MetricsOptions {
  const { config } = core;
  const instance = {
    ...config,
    readServiceMail: (database: Database) => readStateOfSender(database, config),
  };
  const { read } = new Exposition(core.lane('metrics'), instance, otherFigures);
  return { token: config.metricsToken, allowsLocalRequests: servesLocalRequests(config), read };
}

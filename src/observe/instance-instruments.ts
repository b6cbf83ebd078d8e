/**
 * Figures about the instance as a whole and its database, which one process shows. `docs/operate/metrics.md` says what each series
 * means. Several instances on one database show the same figures about it.
 */
import { instanceCounter, instanceGauge } from './define.ts';

export const missingProcesses = instanceGauge(
  'posthorn_scrape_missing_processes',
  'Processes of this instance whose figures are missing here, because they did not answer in time.',
);

// The queue

export const queueRecipients = instanceGauge(
  'posthorn_queue_recipients',
  'Recipients with work left, by what they wait for.',
  { state: ['due', 'waiting', 'parked', 'held', 'in_flight'] },
);

export const queueOldestDue = instanceGauge(
  'posthorn_queue_oldest_due_seconds',
  'For how long the recipient that is due the longest has been due without a worker taking it; 0 when none is.',
);

export const waitingDestinations = instanceGauge(
  'posthorn_queue_destinations',
  'Destinations that recipients are parked for.',
  { state: ['failing', 'backlog'] },
);

export const liveWorkers = instanceGauge(
  'posthorn_queue_workers',
  'Workers, of all instances, that have been heard of within their lease.',
);

// Webhooks

export const webhookDeliveries = instanceGauge(
  'posthorn_webhook_deliveries',
  'Deliveries of events to webhooks that are not done: due, or waiting for a retry or for an answer.',
  { state: ['due', 'waiting'] },
);

export const webhookOldestDue = instanceGauge(
  'posthorn_webhook_oldest_due_seconds',
  'For how long the delivery that is due the longest has been due; 0 when none is.',
);

// PostgreSQL

export const databaseUp = instanceGauge('posthorn_database_up', 'Whether PostgreSQL answers: 1 or 0.');

export const databaseSize = instanceGauge('posthorn_database_size_bytes', 'Size of the database on disk.');

export const databaseConnections = instanceGauge(
  'posthorn_database_connections',
  'Connections of clients to the server, of all its databases.',
  { state: ['active', 'idle', 'idle_in_transaction', 'other'] },
);

export const databaseMaxConnections = instanceGauge(
  'posthorn_database_max_connections',
  'Connections that the server allows.',
);

export const oldestTransaction = instanceGauge(
  'posthorn_database_oldest_transaction_seconds',
  'Age of the oldest transaction that is open; 0 when none is.',
);

export const transactionIdAge = instanceGauge(
  'posthorn_database_transaction_id_age',
  'Transactions since the oldest one that vacuum has still to freeze; the server stops at two thousand million.',
);

export const deadRows = instanceGauge(
  'posthorn_database_dead_rows',
  'Rows of a table that vacuum has still to remove.',
  { table: ['recipients', 'emails', 'webhook_deliveries'] },
);

export const databaseTransactions = instanceCounter(
  'posthorn_database_transactions_total',
  'Transactions of the database that came to an end.',
  { end: ['commit', 'rollback'] },
);

export const databaseBlocks = instanceCounter(
  'posthorn_database_blocks_total',
  'Blocks of 8 KB that were needed, by where they came from.',
  { source: ['cache', 'disk'] },
);

export const temporaryBytes = instanceCounter(
  'posthorn_database_temporary_bytes_total',
  'Bytes that queries wrote to temporary files for want of memory.',
);

export const deadlocks = instanceCounter(
  'posthorn_database_deadlocks_total',
  'Transactions that were ended because they waited for each other.',
);
